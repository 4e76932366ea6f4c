/** The templates of all error messages by key, in each language. `{0}`, `{1}` and so on are the parts of a message. */
import { ENGLISH_OTHERS, FRENCH_OTHERS, GERMAN_OTHERS } from './other_refusals';

const english = {
  // ids, links and files
  otherId: '{0} is not an id under these rules; ids begin with {1}/',
  noId: '{0} is not the id of a position',
  nothing: 'nothing',
  notWhole: '{0} must be a whole number, not {1}',
  cannotBeHere: 'no turn leads to {0}; copy the whole id again',
  linkRule: 'unknown rule in the link: {0}; open the page without it',
  fileTooLarge: '{0} is too large for a game file; choose another file',
  fileUnreadable: 'cannot read {0}; choose a text file, such as a game saved here',
  inLine: '{0}:{1}: {2}',
  noGameFile: 'not a game file: its first lines must name the game, for example game: 5000',
  toldTwice: '{0} is given twice; leave one of them out',
  otherGame: 'the file is for another game; this page is for {0}',
  otherObjective: 'the file is for another objective; this page is for {0}',
  otherParameter: 'the file has another value of {0} than this page; open it on the page that saved it',
  noRule: 'this page has no rule {0}; leave its line out',
  otherRules: 'the game in the file has other rules; this page is for {0}',
  rulesNotJson: 'the value of rules must be JSON, for example {"target": 2000}',
  hiddenInLine: 'a line must not contain {0}, an invisible character',
  nothingToUndo: 'cannot undo so many lines; {0} can be undone',
  noMoreLines: 'the game is over, so no line may follow; remove the lines after it',
  noChoices: 'this game has no decisions',
  gameOver: 'the game is over',
  noSeatInLine: 'expected a line that begins with the seat to move, {0}:',
  otherTurn: 'it is {0}’s turn, not {1}’s',
  sayWhich: 'choose one of: {0}',
  severalFit: '{0} matches several choices: {1}; be more specific',
  noneFits: '{0} is not a choice here; choose from: {1}',
  // names of seats
  seatCount: 'expected {0} seats, got {1}; write a line seat: NAME = PLAYER for each',
  noSeatName: '{0} cannot be the name of a seat: it {1}',
  holdsMark: 'must not contain {0}; the characters # , : = are reserved',
  beginsWithAccent: 'must not begin with a combining accent',
  holdsHidden: 'must not contain {0}, an invisible character',
  isEmpty: 'must not be empty',
  hasBlanks: 'must not begin or end with a space',
  isLong: 'has {0} characters; at most {1} are allowed',
  headName: '{0} cannot be the name of a seat: header lines begin with it',
  sameName: 'two seats have the same name when typed: {0} and {1}',
  giveName: 'enter at least one name',
  // dice
  oneDie: '1 die',
  someDice: '{0} dice',
  noSuchFace: '{0} is not a face of the dice; the faces are {1}',
  noSuchFaces: 'these are not faces of the dice; the faces are {0}',
  noSuchDice: '{0} cannot be rolled here; check how many dice are rolled, and their faces',
  otherCount: 'expected {2}, got {1}: {0}',
  noOption: '{0} is not possible here; choose from: {1}',
  // turns and scores
  score: 'score',
  theirScore: 'the opponent’s score',
  between: '{0} {1} must be between {2} and {3}',
  belowZero: '{0} {1} must be at least 0',
  above: '{0} {1} must be at most {2}',
  cannotBe: '{0} {1} is not possible under these rules; check the number',
  steps: '{0} {1} is not possible: points come in steps of {2}',
  firstBank:
    '{0} {1} is not possible: the first bank must bring at least {2} points, so a score is 0 or at least {2}',
  noBanks: '{0} {1} is not possible: no banks of at least {2} add up to it',
  notBelowTarget: '{0} {1} must be below the target of {2}: otherwise the game is over',
  passesTarget: '{0} {1} is not possible: it would pass the target',
  notInHand: '{0} turn points are not possible with {1} to roll; nearest possible: {2}',
  wrongOpponents: 'expected {1} numbers in {0}, one for each opponent, got {2}',
  wrongTurnsLeft: 'turns_left {0} must be between 1 and {1}, the turns of this problem',
  wrongBusts: 'busts must be between 0 and {0}: these rules count no more busts in a row',
  noTurn: 'no turn ends in {0} here; enter the points of the turn',
  noTurnPoints: 'no turn scores {0} points here; check the points',
  countsNot: '{0} points cannot be banked: a bank needs at least {1}; enter 0 if no points counted',
  pointsPassTarget: '{0} points would pass the target of {1}',
  // house rules
  stillSolving: 'this page is still solving other rules; try again when it is done',
  houseRule: 'the house rules of this page do not have {0}, only {1}',
  houseValue: 'this page cannot solve {0}={1}; choose a value that its house rules offer',
  houseRaces:
    'house rules cannot be changed on this page: that requires a race of two players who play to win',
  houseFinish:
    'house rules cannot be changed on this page: that requires a game that a player wins at once with the target or more; make a new page for other rules',
  houseLosses:
    'house rules cannot be changed on this page, because busts that cost points take too long to solve here; make a new page for other rules',
  houseTurn:
    'house rules cannot be changed on this page, because it cannot solve this kind of turn; make a new page for other rules',
  noSecureContext: 'house rules require a page that was opened over https or from a file',
  noWorker: 'house rules require a browser that can compute in the background',
  noBound:
    'no useful bound can be proved: under these rules a turn hardly ever changes a score; choose rules under which turns score more often',
  nobodyWins: 'no turn can bank {0} points under these rules, so no player could ever win',
  cancelled: 'solving was cancelled',
  noDie: 'unknown die {0}; choose one from the list',
  handSize: 'a hand must have {0} dice, not {1}',
  handsRule:
    'changed {0} cannot be combined with chosen dice: the page has this rule for its own dice only; change one of them back',
  // pieces
  large: 'large',
  medium: 'medium',
  small: 'small',
  oddsNumber: '{0} pieces need whole numbers from 0 to 100',
  oddsSum: 'the numbers under “Per 100” for {0} pieces must add up to 100, not {1}',
  ...(ONLY_RACES ? ({} as typeof ENGLISH_OTHERS) : ENGLISH_OTHERS),
};

export type RefusalKey = keyof typeof english;
type Templates = Record<RefusalKey, string>;

const german: Templates = {
  otherId: '{0} ist keine Kennung einer Stellung nach diesen Regeln: Kennungen beginnen mit {1}/',
  noId: '{0} ist keine Kennung einer Stellung',
  nothing: 'nichts',
  notWhole: '{0} muss eine ganze Zahl sein, nicht {1}',
  cannotBeHere: 'kein Zug führt zu {0}; kopiere die ganze Kennung noch einmal',
  linkRule: 'unbekannte Regel im Link: {0}; öffne die Seite ohne sie',
  fileTooLarge: '{0} ist zu groß für eine Spieldatei; wähle eine andere Datei',
  fileUnreadable:
    '{0} kann nicht gelesen werden; wähle eine Textdatei, zum Beispiel ein hier gespeichertes Spiel',
  inLine: '{0}:{1}: {2}',
  noGameFile: 'keine Spieldatei: Die ersten Zeilen müssen das Spiel nennen, zum Beispiel game: 5000',
  toldTwice: '{0} ist doppelt angegeben; lass eines davon weg',
  otherGame: 'die Datei gehört zu einem anderen Spiel; diese Seite ist für {0}',
  otherObjective: 'die Datei hat ein anderes Spielziel; diese Seite ist für {0}',
  otherParameter:
    'die Datei hat einen anderen Wert von {0} als diese Seite; öffne sie auf der Seite, die sie gespeichert hat',
  noRule: 'diese Seite kennt keine Regel {0}; lass die Zeile weg',
  otherRules: 'das Spiel in der Datei hat andere Regeln; diese Seite ist für {0}',
  rulesNotJson: 'der Wert von rules muss JSON sein, zum Beispiel {"target": 2000}',
  hiddenInLine: 'eine Zeile darf das unsichtbare Zeichen {0} nicht enthalten',
  nothingToUndo: 'so viele Zeilen lassen sich nicht zurücknehmen, höchstens {0}',
  noMoreLines: 'das Spiel ist zu Ende, es darf keine Zeile mehr folgen; lösche die Zeilen danach',
  noChoices: 'in diesem Spiel gibt es nichts zu entscheiden',
  gameOver: 'das Spiel ist zu Ende',
  noSeatInLine: 'die Zeile muss mit dem Platz beginnen, der am Zug ist: {0}:',
  otherTurn: '{0} ist am Zug, nicht {1}',
  sayWhich: 'wähle eine dieser Möglichkeiten: {0}',
  severalFit: '{0} passt auf mehrere Möglichkeiten: {1}; gib es genauer an',
  noneFits: '{0} ist hier nicht möglich; zur Wahl stehen: {1}',
  seatCount: 'erwartet: {0} Plätze, angegeben: {1}; schreibe für jeden eine Zeile seat: NAME = PLAYER',
  noSeatName: '{0} kann nicht der Name eines Platzes sein: Er {1}',
  holdsMark: 'darf {0} nicht enthalten; die Zeichen # , : = sind reserviert',
  beginsWithAccent: 'darf nicht mit einem kombinierenden Akzent beginnen',
  holdsHidden: 'darf das unsichtbare Zeichen {0} nicht enthalten',
  isEmpty: 'darf nicht leer sein',
  hasBlanks: 'darf nicht mit einem Leerzeichen anfangen oder aufhören',
  isLong: 'hat {0} Zeichen; höchstens {1} sind erlaubt',
  headName: '{0} kann nicht der Name eines Platzes sein: So beginnen Kopfzeilen',
  sameName: 'zwei Namen sind beim Eintippen nicht zu unterscheiden: {0} und {1}',
  giveName: 'gib mindestens einen Namen an',
  oneDie: '1 Würfel',
  someDice: '{0} Würfel',
  noSuchFace: '{0} ist keine Seite der Würfel; möglich sind {1}',
  noSuchFaces: 'die Würfel haben diese Seiten nicht; möglich sind {0}',
  noSuchDice: '{0} kann hier nicht geworfen werden; prüfe, wie viele Würfel geworfen werden, und ihre Seiten',
  otherCount: 'erwartet: {2}, angegeben: {1} ({0})',
  noOption: '{0} ist hier nicht möglich; zur Wahl stehen: {1}',
  score: 'Punkte:',
  theirScore: 'Punkte des Gegners:',
  between: '{0} {1} muss zwischen {2} und {3} liegen',
  belowZero: '{0} {1} muss mindestens 0 sein',
  above: '{0} {1} darf höchstens {2} sein',
  cannotBe: '{0} {1} ist nach diesen Regeln nicht möglich; prüfe die Zahl',
  steps: '{0} {1} ist nicht möglich: Punkte gibt es nur in Schritten von {2}',
  firstBank: '{0} {1} ist nicht möglich: Zum Einstieg sind mindestens {2} nötig, davor sind es 0',
  noBanks: '{0} {1} ist nicht möglich: Züge mit mindestens {2} Punkten ergeben diese Summe nicht',
  notBelowTarget: '{0} {1} muss unter dem Ziel von {2} liegen: Sonst wäre das Spiel zu Ende',
  passesTarget: '{0} {1} ist nicht möglich: Das ginge über das Ziel hinaus',
  notInHand: '{0} Punkte im Zug sind nicht möglich (noch zu werfen: {1}); am nächsten liegen: {2}',
  wrongOpponents: '{0}: erwartet {1} Zahlen, eine für jeden Gegner, angegeben: {2}',
  wrongTurnsLeft: 'turns_left {0} muss zwischen 1 und {1} liegen, der Zahl der Züge',
  wrongBusts:
    'busts muss zwischen 0 und {0} liegen: Mehr Fehlwürfe in Folge werden nach diesen Regeln nicht gezählt',
  noTurn: 'kein Zug endet hier mit {0}; gib die Punkte des Zugs an',
  noTurnPoints: 'kein Zug bringt hier {0} Punkte; prüfe die Punkte',
  countsNot: '{0} Punkte zählen hier nicht: Nötig sind mindestens {1}; gib 0 an, wenn nichts zählte',
  pointsPassTarget: '{0} Punkte gingen über das Ziel von {1} hinaus',
  stillSolving: 'diese Seite rechnet noch mit anderen Regeln; versuche es noch einmal, wenn sie fertig ist',
  houseRule: 'unter den Hausregeln dieser Seite gibt es {0} nicht, nur {1}',
  houseValue: 'diese Seite kann mit {0}={1} nicht rechnen; wähle einen Wert, den ihre Hausregeln anbieten',
  houseRaces:
    'Hausregeln lassen sich auf dieser Seite nicht ändern: Das geht nur, wenn zwei Spieler um den Sieg spielen und der gewinnt, der zuerst das Ziel erreicht',
  houseFinish:
    'Hausregeln lassen sich auf dieser Seite nicht ändern: Das geht nur, wenn sofort gewinnt, wer das Ziel erreicht oder überschreitet; erstelle für andere Regeln eine neue Seite',
  houseLosses:
    'Hausregeln lassen sich auf dieser Seite nicht ändern: Mit Fehlwürfen, die Punkte kosten, dauert die Berechnung hier zu lange; erstelle für andere Regeln eine neue Seite',
  houseTurn:
    'Hausregeln lassen sich auf dieser Seite nicht ändern: Einen solchen Zug kann sie nicht berechnen; erstelle für andere Regeln eine neue Seite',
  noSecureContext: 'Hausregeln gehen nur, wenn die Seite über https oder aus einer Datei geöffnet ist',
  noWorker: 'Hausregeln gehen nur in einem Browser, der im Hintergrund rechnen kann',
  noBound:
    'es lässt sich keine brauchbare Schranke beweisen: Nach diesen Regeln ändert ein Zug die Punkte zu selten; wähle Regeln, nach denen Züge öfter Punkte bringen',
  nobodyWins: 'nach diesen Regeln kann kein Zug {0} Punkte bringen, also könnte kein Spieler gewinnen',
  cancelled: 'die Rechnung wurde abgebrochen',
  noDie: 'unbekannter Würfel {0}; wähle einen aus der Liste',
  handSize: 'jeder braucht {0} Würfel, nicht {1}',
  handsRule:
    'eine Änderung von {0} geht nicht zusammen mit gewählten Würfeln: Die Seite hat diese Regel nur für ihre eigenen Würfel; nimm eines von beiden zurück',
  large: 'große',
  medium: 'mittlere',
  small: 'kleine',
  oddsNumber: '{0} Stücke: Nötig sind ganze Zahlen von 0 bis 100',
  oddsSum: '{0} Stücke: Die Zahlen unter „Von 100“ müssen zusammen 100 ergeben, nicht {1}',
  ...(ONLY_RACES ? ({} as typeof GERMAN_OTHERS) : GERMAN_OTHERS),
};

const french: Templates = {
  otherId: '{0} n’est pas l’identifiant d’une position avec ces règles : un identifiant commence par {1}/',
  noId: '{0} n’est pas l’identifiant d’une position',
  nothing: 'rien',
  notWhole: '{0} doit être un nombre entier, et non {1}',
  cannotBeHere: 'aucun tour ne mène à {0} ; copiez de nouveau l’identifiant entier',
  linkRule: 'règle inconnue dans le lien : {0} ; ouvrez la page sans elle',
  fileTooLarge: '{0} est trop grand pour une partie enregistrée ; choisissez un autre fichier',
  fileUnreadable: 'impossible de lire {0} ; choisissez un fichier texte, comme une partie enregistrée ici',
  inLine: '{0}:{1} : {2}',
  noGameFile:
    'ce n’est pas un fichier de partie : ses premières lignes doivent nommer le jeu, par exemple game: 5000',
  toldTwice: '{0} est donné deux fois ; supprimez-en un',
  otherGame: 'le fichier est pour un autre jeu ; cette page est pour {0}',
  otherObjective: 'le fichier a un autre objectif ; cette page est pour {0}',
  otherParameter:
    'le fichier a une autre valeur de {0} que cette page ; ouvrez-le sur la page qui l’a enregistré',
  noRule: 'cette page ne connaît pas de règle {0} ; supprimez sa ligne',
  otherRules: 'la partie du fichier utilise d’autres règles ; cette page est pour {0}',
  rulesNotJson: 'la valeur de rules doit être du JSON, par exemple {"target": 2000}',
  hiddenInLine: 'une ligne ne doit pas contenir le caractère invisible {0}',
  nothingToUndo: 'impossible d’annuler autant de lignes ; au plus {0}',
  noMoreLines: 'la partie est finie, aucune ligne ne peut suivre ; supprimez les lignes suivantes',
  noChoices: 'ce jeu ne demande aucune décision',
  gameOver: 'la partie est finie',
  noSeatInLine: 'la ligne doit commencer par la place dont c’est le tour, {0}:',
  otherTurn: 'c’est à {0} de jouer, pas à {1}',
  sayWhich: 'choisissez parmi : {0}',
  severalFit: '{0} correspond à plusieurs choix : {1} ; précisez lequel',
  noneFits: '{0} n’est pas un choix possible ici ; choisissez parmi : {1}',
  seatCount: 'attendu : {0} places, indiqué : {1} ; écrivez une ligne seat: NAME = PLAYER pour chacune',
  noSeatName: '{0} ne peut pas être le nom d’une place : il {1}',
  holdsMark: 'ne doit pas contenir {0} ; les caractères # , : = sont réservés',
  beginsWithAccent: 'ne doit pas commencer par un accent combinant',
  holdsHidden: 'ne doit pas contenir le caractère invisible {0}',
  isEmpty: 'ne doit pas être vide',
  hasBlanks: 'ne doit pas commencer ni finir par une espace',
  isLong: 'a {0} caractères ; le maximum est {1}',
  headName: '{0} ne peut pas être le nom d’une place : des lignes d’en-tête commencent ainsi',
  sameName: 'deux noms ne se distinguent pas une fois saisis : {0} et {1}',
  giveName: 'donnez au moins un nom',
  oneDie: '1 dé',
  someDice: '{0} dés',
  noSuchFace: '{0} n’est pas une face des dés ; les faces sont {1}',
  noSuchFaces: 'les dés n’ont pas ces faces ; les faces sont {0}',
  noSuchDice: '{0} n’est pas un lancer possible ici ; vérifiez le nombre de dés lancés et leurs faces',
  otherCount: 'attendu : {2}, indiqué : {1} ({0})',
  noOption: '{0} n’est pas possible ici ; choisissez parmi : {1}',
  score: 'points :',
  theirScore: 'points de l’adversaire :',
  between: '{0} {1} doit être entre {2} et {3}',
  belowZero: '{0} {1} doit être au moins 0',
  above: '{0} {1} doit être au plus {2}',
  cannotBe: '{0} {1} n’est pas possible avec ces règles ; vérifiez le nombre',
  steps: '{0} {1} n’est pas possible : les points vont de {2} en {2}',
  firstBank: '{0} {1} n’est pas possible : il faut au moins {2} points pour ouvrir, et on a 0 avant',
  noBanks: '{0} {1} n’est pas possible : aucune somme de tours d’au moins {2} points n’y mène',
  notBelowTarget: '{0} {1} doit être inférieur au score à atteindre ({2}) : sinon la partie est finie',
  passesTarget: '{0} {1} n’est pas possible : cela dépasserait le score à atteindre',
  notInHand: '{0} points dans le tour ne sont pas possibles avec {1} à lancer ; les plus proches : {2}',
  wrongOpponents: '{0} : attendu {1} nombres, un pour chaque adversaire, indiqué : {2}',
  wrongTurnsLeft: 'turns_left {0} doit être entre 1 et {1}, le nombre de tours',
  wrongBusts: 'busts doit être entre 0 et {0} : ces règles ne comptent pas plus de tours perdus de suite',
  noTurn: 'aucun tour ne finit ici par {0} ; indiquez les points du tour',
  noTurnPoints: 'aucun tour ne rapporte {0} points ici ; vérifiez les points',
  countsNot: '{0} points ne comptent pas ici : il en faut au moins {1} ; indiquez 0 si rien n’a compté',
  pointsPassTarget: '{0} points dépasseraient le score à atteindre ({1})',
  stillSolving: 'cette page calcule encore avec d’autres règles ; réessayez quand elle aura fini',
  houseRule: 'parmi les règles de la maison de cette page, il n’y a pas {0}, seulement {1}',
  houseValue:
    'cette page ne peut pas calculer avec {0}={1} ; choisissez une valeur que proposent ses règles de la maison',
  houseRaces:
    'les règles de la maison ne peuvent pas être changées sur cette page : il faut une partie à deux, jouée pour gagner, où l’emporte le premier qui arrive au score à atteindre',
  houseFinish:
    'les règles de la maison ne peuvent pas être changées sur cette page : il faut un jeu où l’on gagne dès qu’on a le score à atteindre ou plus ; faites une nouvelle page pour d’autres règles',
  houseLosses:
    'les règles de la maison ne peuvent pas être changées sur cette page : avec des tours perdus qui coûtent des points, le calcul serait trop long ici ; faites une nouvelle page pour d’autres règles',
  houseTurn:
    'les règles de la maison ne peuvent pas être changées sur cette page : elle ne peut pas calculer un tel tour ; faites une nouvelle page pour d’autres règles',
  noSecureContext: 'les règles de la maison demandent une page ouverte en https ou depuis un fichier',
  noWorker: 'les règles de la maison demandent un navigateur qui peut calculer en arrière-plan',
  noBound:
    'on ne peut prouver aucune borne utile : avec ces règles, un tour change trop rarement un score ; choisissez des règles où les tours marquent plus souvent',
  nobodyWins: 'avec ces règles, aucun tour ne peut rapporter {0} points : aucun joueur ne pourrait gagner',
  cancelled: 'le calcul a été annulé',
  noDie: 'dé inconnu : {0} ; choisissez-en un dans la liste',
  handSize: 'il faut {0} dés à chaque joueur, et non {1}',
  handsRule:
    'changer {0} ne va pas avec des dés choisis : la page n’a cette règle que pour ses propres dés ; annulez l’un des deux changements',
  large: 'grandes pièces',
  medium: 'pièces moyennes',
  small: 'petites pièces',
  oddsNumber: '{0} : il faut des nombres entiers de 0 à 100',
  oddsSum: '{0} : les nombres sous « Sur 100 » doivent faire 100 en tout, et non {1}',
  ...(ONLY_RACES ? ({} as typeof FRENCH_OTHERS) : FRENCH_OTHERS),
};

const TEMPLATES: Record<string, Templates> = { en: english, de: german, fr: french };

/** A part of a message: a number, a text from the user or the game, a list of these, or another phrase. */
export type Part = string | number | readonly (string | number)[] | Phrase;

/** The key of a template, and the parts that fill it. */
export interface Phrase {
  readonly key: RefusalKey;
  readonly parts: readonly Part[];
}

export function phrase(key: RefusalKey, parts: readonly Part[] = []): Phrase {
  return { key, parts };
}

/** Return a number of dice in words. */
export function diceCount(count: number): Phrase {
  return count === 1 ? phrase('oneDie') : phrase('someDice', [count]);
}

/** Return a phrase in a language. */
export function phraseText({ key, parts }: Phrase, language: string): string {
  const text = (part: Part): string => {
    if (typeof part === 'string' || typeof part === 'number') return String(part);
    return 'key' in part ? phraseText(part, language) : part.join(', ');
  };
  return (TEMPLATES[language] ?? english)[key].replace(/\{(\d)\}/g, (_, n) => text(parts[Number(n)]));
}
