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
    'Alle füllen reihum ihren eigenen Zettel. Rat gibt es für die meisten Punkte, zu zweit auch dafür, am Ende mehr als der andere zu haben.',
  adviceIs: 'Rat für',
  mostPoints: 'die meisten Punkte',
  endAbove: 'mehr Punkte als {0}',
  beatMeans:
    'Die Chance, am Ende mehr Punkte als {0} zu haben, wenn {0} weiter auf die meisten Punkte spielt. Gleichstand zählt halb.',
  beatSolving: 'Dieser Zug wird gelöst. Bis dahin gilt der Rat für die meisten Punkte.',
  beatSeconds:
    'Diesen Zug löst ein Computer in etwa {0} Sekunden, ein Telefon braucht länger. Bis dahin gilt der Rat für die meisten Punkte.',
  beatSolve: 'Diesen Zug lösen',
  beatTooLong:
    'Diesen Zug zu lösen würde länger als eine Minute dauern. Bis weniger Felder offen sind, gilt der Rat für die meisten Punkte.',
};

export const FRENCH_CARDS: CardWords = {
  sharedText:
    'Chacun remplit sa feuille à son tour. Les conseils visent le plus de points ; à deux, on peut aussi chercher à finir devant l’autre.',
  adviceIs: 'Conseil pour',
  mostPoints: 'le plus de points',
  endAbove: 'finir devant {0}',
  beatMeans:
    'La chance que votre total final dépasse celui de {0}, qui continue à jouer pour le plus de points. L’égalité compte pour moitié.',
  beatSolving: 'Ce tour est en cours de résolution. D’ici là, les conseils visent le plus de points.',
  beatSeconds:
    'Un ordinateur résout ce tour en {0} secondes environ, un téléphone plus lentement. D’ici là, les conseils visent le plus de points.',
  beatSolve: 'Résoudre ce tour',
  beatTooLong:
    'Résoudre ce tour prendrait plus d’une minute. Tant que trop de cases sont libres, les conseils visent le plus de points.',
};
