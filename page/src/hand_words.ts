/** The words of the choice of hands, which only pages with hands have. */

export const ENGLISH_HANDS = {
  chooseHands: 'Dice of both players',
  chooseHandsText:
    'Choose {0} dice for each player, and the page solves the game for them. Tap a chosen die to put it back.',
  rulesWithHands:
    'Target, opening and minimum can be changed together with the dice. The page has other house rules for its own dice only.',
  chooseDice: 'Choose dice',
  weightsAre: 'The numbers say how often each face comes: 1 2 3 4 5 6, then the devil’s head as a wild face.',
  handFull: 'All dice are chosen. Tap a chosen die to put it back; then you can choose another.',
  findDie: 'Find a die',
  diceChosen: '{0}: {1} of {2} dice',
  onlyFair: '{0} {1} dice',
  targetIs: 'Target',
  adviceFor: 'Advice for',
  forWin: 'the win',
  forPoints: 'the points of a turn, up to those needed',
  solveHands: 'Solve with these dice',
  takesSeconds: 'A computer takes about {0} seconds for the win, a phone longer. You can cancel it.',
  takesMinutes:
    'A computer takes about {0} minutes for the win, a phone longer. You can cancel it. A lower target takes much less time.',
  handsAre: 'Dice: {0}, to {1} points',
  handIs: 'points of a turn with {0}, to {1} points; the other player’s score does not count',
};

type HandWords = typeof ENGLISH_HANDS;

export const GERMAN_HANDS: HandWords = {
  chooseHands: 'Würfel beider Spieler',
  chooseHandsText:
    'Wähle für jeden Spieler {0} Würfel: Die Seite berechnet das Spiel damit. Tippe auf einen gewählten Würfel, um ihn zurückzulegen.',
  rulesWithHands:
    'Ziel, Einstieg und Minimum lassen sich zusammen mit den Würfeln ändern. Andere Hausregeln hat die Seite nur für ihre eigenen Würfel.',
  chooseDice: 'Würfel wählen',
  weightsAre: 'Die Zahlen geben an, wie oft jede Seite fällt: 1 2 3 4 5 6, dann der Teufelskopf als Joker.',
  handFull:
    'Alle Würfel sind gewählt. Tippe auf einen gewählten, um ihn zurückzulegen; dann wähle einen anderen.',
  findDie: 'Würfel suchen',
  diceChosen: '{0}: {1} von {2} Würfeln',
  onlyFair: '{0} Würfel „{1}“',
  targetIs: 'Ziel',
  adviceFor: 'Tipps für',
  forWin: 'den Sieg',
  forPoints: 'die Punkte eines Zugs, höchstens so viele, wie noch fehlen',
  solveHands: 'Mit diesen Würfeln rechnen',
  takesSeconds: 'Ein Computer braucht für den Sieg etwa {0} Sekunden, ein Handy länger. Du kannst abbrechen.',
  takesMinutes:
    'Ein Computer braucht für den Sieg etwa {0} Minuten, ein Handy länger. Du kannst abbrechen. Mit einem kleineren Ziel geht es viel schneller.',
  handsAre: 'Würfel: {0}, bis {1} Punkte',
  handIs: 'Punkte eines Zugs mit {0}, bis {1} Punkte; die Punkte des Gegners zählen hier nicht',
};

export const FRENCH_HANDS: HandWords = {
  chooseHands: 'Dés des deux joueurs',
  chooseHandsText:
    'Choisissez {0} dés pour chaque joueur : la page calcule la partie avec eux. Touchez un dé choisi pour le remettre.',
  rulesWithHands:
    'Le score à atteindre, l’ouverture et le minimum peuvent être changés en même temps que les dés. La page n’a les autres règles de la maison que pour ses propres dés.',
  chooseDice: 'Choisir des dés',
  weightsAre:
    'Les nombres indiquent combien de fois sort chaque face : 1 2 3 4 5 6, puis la tête du diable comme joker.',
  handFull: 'Tous les dés sont choisis. Touchez un dé choisi pour le remettre ; puis choisissez-en un autre.',
  findDie: 'Chercher un dé',
  diceChosen: '{0} : {1} dés sur {2}',
  onlyFair: '{0} dés « {1} »',
  targetIs: 'Score à atteindre',
  adviceFor: 'Conseils pour',
  forWin: 'la victoire',
  forPoints: 'les points d’un tour, au plus ceux qui manquent encore',
  solveHands: 'Calculer avec ces dés',
  takesSeconds:
    'Pour la victoire, un ordinateur calcule environ {0} secondes, un téléphone plus longtemps. Vous pouvez annuler.',
  takesMinutes:
    'Pour la victoire, un ordinateur calcule environ {0} minutes, un téléphone plus longtemps. Vous pouvez annuler. Avec un score à atteindre plus bas, c’est bien plus rapide.',
  handsAre: 'Dés : {0}, jusqu’à {1} points',
  handIs: 'points d’un tour avec {0}, jusqu’à {1} points ; les points de l’adversaire ne comptent pas ici',
};
