/** The words for several people with scorecards, which only pages of cards have. */

export const ENGLISH_CARDS = {
  sharedText:
    'The players take turns, each with a scorecard of their own. Advice is for the most points; between two it can be for ending above the other.',
  adviceIs: 'Advice for',
  mostPoints: 'the most points',
  endAbove: 'ending above {0}',
  beatMeans:
    'The chance that your total ends above that of {0}, who plays on for the most points. An equal total counts half.',
  beatSolving: 'This turn is being solved. Until then, advice is for the most points.',
  beatSeconds:
    'Solving this turn takes a computer about {0} seconds, a phone longer. Until then, advice is for the most points.',
  beatSolve: 'Solve this turn',
  beatTooLong:
    'Solving this turn would take more than a minute. Advice is for the most points until fewer boxes are open.',
};

type CardWords = typeof ENGLISH_CARDS;

export const GERMAN_CARDS: CardWords = {
  sharedText:
    'Alle füllen reihum ihren eigenen Zettel. Die Tipps zielen auf die meisten Punkte, zu zweit auf Wunsch auch darauf, am Ende mehr Punkte als der andere zu haben.',
  adviceIs: 'Tipps für',
  mostPoints: 'die meisten Punkte',
  endAbove: 'mehr Punkte als {0}',
  beatMeans:
    'Die Chance, am Ende mehr Punkte als {0} zu haben, wenn {0} weiter auf die meisten Punkte spielt. Gleichstand zählt halb.',
  beatSolving: 'Dieser Zug wird gerade genau berechnet. Bis dahin gelten die Tipps für die meisten Punkte.',
  beatSeconds:
    'Um diesen Zug genau zu berechnen, braucht ein Computer etwa {0} Sekunden, ein Handy länger. Bis dahin gelten die Tipps für die meisten Punkte.',
  beatSolve: 'Diesen Zug genau berechnen',
  beatTooLong:
    'Diesen Zug genau zu berechnen würde länger als eine Minute dauern. Bis weniger Felder offen sind, gelten die Tipps für die meisten Punkte.',
};

export const FRENCH_CARDS: CardWords = {
  sharedText:
    'Chacun remplit sa feuille à son tour. Les conseils visent le plus de points ; à deux, on peut aussi chercher à finir devant l’autre.',
  adviceIs: 'Conseils pour',
  mostPoints: 'le plus de points',
  endAbove: 'finir devant {0}',
  beatMeans:
    'La chance que votre total final dépasse celui de {0}, qui continue à jouer pour le plus de points. L’égalité compte pour moitié.',
  beatSolving: 'Ce tour est en cours de calcul. D’ici là, les conseils visent le plus de points.',
  beatSeconds:
    'Un ordinateur calcule ce tour en {0} secondes environ, un téléphone plus lentement. D’ici là, les conseils visent le plus de points.',
  beatSolve: 'Calculer ce tour',
  beatTooLong:
    'Calculer ce tour prendrait plus d’une minute. Tant que trop de cases sont libres, les conseils visent le plus de points.',
};
