/** All texts of the page, by language. */
import { ENGLISH_CARDS, FRENCH_CARDS, GERMAN_CARDS } from './card_words';
import { ENGLISH_HANDS, FRENCH_HANDS, GERMAN_HANDS } from './hand_words';
import {
  ENGLISH,
  FRENCH,
  FRENCH_NAMES,
  GERMAN,
  GERMAN_NAMES,
  type ChoiceText,
  formatChoice,
  translateName,
} from './choice_text';
import type { Act } from './choices';
import type { Step } from './game';
import { visible } from './problem';
import { type Phrase, phraseText } from './refusals';
import {
  ENGLISH_UNITS,
  type Units,
  formatLoss as plainLoss,
  formatPercent as plainPercent,
  formatValue as plainValue,
} from './numbers';
import { formatPlain as plainNumber, formatSigned as plainSigned } from './review';

const english = {
  language: 'English',
  play: 'Play',
  setup: 'Set up',
  review: 'Review',
  practice: 'Practice',
  more: 'More',
  undo: 'Undo',
  redo: 'Redo',
  yourTurn: '{0} to move',
  throwNow: '{0}: {1}',
  stepNow: '{0}: {1}. What is the result?',
  chooseNow: '{0}: what do you do?',
  turnHolds: 'This turn: {0}',
  rollOf: 'Roll {0} of {1}',
  othersTurn: '{0}: result of the turn',
  throwByThrow: 'Enter each roll',
  wholeTurn: 'Enter the whole turn',
  turnWas: 'turn {0}',
  other: 'Another result',
  enter: 'Enter',
  addFace: 'add {0}',
  removeDie: 'remove {0}',
  dice: 'Dice rolled',
  faces: 'Faces',
  missing: 'Tap the dice rolled: {0} more',
  tied: 'Tied at {0} points. One more turn each: {1}.',
  tiedScores: 'The scores count from 0 again.',
  crewRule:
    'First a 6 (ship), then a 5 (captain), then a 4 (mate) must show; the other two dice, the crew, are your points.',
  deadRoll: 'dead roll',
  deadSide: '{0} is the dead side: 2 or 5.',
  choices: 'Choices, the best first',
  best: 'best',
  costs: 'costs {0}',
  unit: '1 pp = one percentage point of the chance to win.',
  unitReach: '1 pp = one percentage point of this chance.',
  moreChoices: 'Show all {0} choices',
  over: 'The game is over.',
  wins: 'Winner: {0}.',
  shared: '{0} share the win.',
  scored: '{0}: {1}',
  labelOf: '{0}:',
  toWin: '{0} to win',
  whatFell: '{0}: {1}',
  busting: ', {0} {1} of the time',
  justAsGood: '; just as good: {0}',
  nextBest: '; next best, {0}, costs {1}',
  mixed: 'Optimal play is random here: {0} of the time {1}, and {2} of the time {3}.',
  mixedHere:
    'Optimal play from here is random: one plan for the turn {0} of the time, another {1} of the time.',
  newGame: 'New game',
  seatOf: 'Seat {0}',
  advised: 'gets advice',
  begin: 'Begin',
  you: 'You',
  opponent: 'Opponent',
  opponentN: 'Opponent {0}',
  page: 'Page',
  save: 'Save the game as a file',
  load: 'Load a game file',
  loaded: '{0} is loaded.',
  shareGame: 'Share the game',
  sharePosition: 'Link to this position',
  copied: 'The link is copied.',
  copy: 'Copy this link:',
  sheet: 'Sheet to print',
  print: 'Print',
  back: 'Back',
  rules: 'Rules of this page',
  ruleOptions: 'Rule options of the command line',
  defaultIs: 'default {0}',
  about: 'About',
  aboutText:
    'Exact advice, computed on this page: nothing is sent anywhere. Every value for the player to move is within {0} of the true one.',
  roundedText:
    'To keep this page small, its chances to win are rounded by at most {0} pp. Choices that differ by twice that or less count as equally good.',
  regret: 'With three or more players, no player can gain more than {0} by deviating from this advice.',
  questionIs: 'To report an error, quote: problem {0}, fingerprint {1}, {2}.',
  noStorage: 'This browser stores nothing for this page: save the game as a file before you close it.',
  noWasm:
    'This browser has no WebAssembly, so there is no advice here; the rules and the sheet can still be read.',
  failed: 'Something went wrong: {0}',
  reviewOver: 'The game is over.',
  reviewOpen: 'The game is not over yet. Its outcome so far is the value of the current position.',
  nothingYet: 'Nothing has been played yet.',
  start: 'start',
  luck: 'luck',
  errors: 'own errors',
  others: 'others’ errors',
  outcome: 'outcome',
  perChoice: 'cost per decision',
  none: 'none',
  meaning:
    'Outcome = start + luck + own errors + others’ errors. Luck is what the rolls changed, if everybody plays as well as possible afterwards.',
  meaningAlone:
    'Outcome = start + luck + own errors. Luck is what the rolls changed, if you play as well as possible afterwards.',
  short: '{0}: {1} of {2} decisions cost something, {3} in total{4}. Without luck, the outcome would be {5}.',
  graded: ' (grade: {0})',
  nothingDecided: '{0}: no decisions.',
  costliest: 'The costliest decisions',
  mistake: '{0}: {1} cost {2}. The best choice was {3}.',
  event: 'Event {0}',
  through: 'All rolls and choices',
  chart: '{0}: chance to win after each roll and choice',
  chartPlain: '{0}: value after each roll and choice',
  chartTurns: '{0}: chance to win after each turn',
  rollForMe: 'Roll the dice',
  practiceText: 'The page rolls the dice. Choose first; then you see what your choice cost.',
  stepByStep: 'Enter each step',
  letChance: 'Let chance decide',
  practiceChance: 'The page draws what happens. Choose first; then you see what your choice cost.',
  stepMeaning:
    'Outcome = start + luck + own errors + others’ errors. Luck is what chance changed, if everybody plays as well as possible afterwards.',
  stepMeaningAlone:
    'Outcome = start + luck + own errors. Luck is what chance changed, if you play as well as possible afterwards.',
  throughSteps: 'All steps',
  chartSteps: '{0}: chance to win after each step',
  chartStepsPlain: '{0}: value after each step',
  against: 'Play against the page',
  alone: 'Play a practice game',
  quiz: 'Quiz',
  quizText: 'Positions in which your choice matters. What would you do?',
  beginQuiz: 'Begin the quiz',
  quizAsks: 'What would you do?',
  next: 'Next',
  right: 'Right: {0}.',
  own: 'your choice',
  wrong: 'That costs {0}: {1} was best.',
  tally: '{0} of {1} right; {2} lost in total.',
  stop: 'End the quiz',
  position: 'Position',
  apply: 'Go there',
  pointsInHand: 'Turn points',
  toThrow: 'Before the roll',
  rareFields: 'Rarely needed',
  turnBegins: 'Start of a turn',
  idOf: 'Or the id of a position',
  less: '{0}: less',
  moreOf: '{0}: more',
  thatCost: 'That cost {0}: {1} was best.',
  history: 'The game so far',
  languageIs: 'Language',
  solving: 'Solving with your rules: {0}%',
  houseRules: 'House rules',
  solveThem: 'Solve with these rules',
  asShipped: 'Back to the rules of this page',
  unreadable: 'The stored game cannot be opened',
  unreadableText:
    'It stays stored until you decide. Save it as a file, or start over; it is then listed under More, Earlier games.',
  afresh: 'Start over',
  saveStored: 'Save the stored game as a file',
  earlier: 'Earlier games',
  earlierText: 'Games that were replaced by another one, newest first; up to {0} are kept.',
  earlierGame: '{0} entries, the last: {1}',
  resume: 'Resume this game',
  saveEarlier: 'Save it as a file',
  remove: 'Delete it',
  setAside: 'The previous game is kept: see More, Earlier games.',
  backToEarlier: 'Back to the previous game',
  notStored: 'This browser has no room to store this game: save it as a file before you close the page.',
  openLink: 'Open the position of this link?',
  openIt: 'Open it',
  stay: 'Stay here',
  linkRules: 'This link uses other rules: {0}. Solving them takes a few seconds.',
  linkOwnRules: 'This link uses the rules of this page, but you are playing under house rules.',
  linkGame: 'The game in progress is kept under More, Earlier games.',
  linkOtherGame: 'The game in progress is kept with its rules; go back to them to resume it.',
  changedRules: 'House rules: {0}.',
  insteadOf: '{0} {1} instead of {2}',
  onThisPage: 'On this page: {0}.',
  otherRules:
    'This page cannot solve rules in which three busts in a row cost points (this takes minutes), last rounds or take-overs. It cannot change what follows when all dice have scored. For these, you need the program on a computer.',
  otherRulesFile:
    'For rules that this page does not have, write a rule file. Three busts in a row: costs = [0, 0, 1000] under [bust]. Then “keepwise page FILE.toml” writes a page for them.',
  yes: 'yes',
  no: 'no',
  eventsShown: 'The last {0} of {1} events',
  tapDice: 'Tap the dice to keep.',
  tapCrew: '{0} are set aside. Tap a crew die to keep it.',
  keptBefore: 'Kept:',
  firstNeeds: 'Your first points need at least {0} in one turn.',
  bankNeeds: 'A bank needs at least {0} points in one turn.',
  tapSize: 'Tap a size to touch a piece of it.',
  ownOdds: 'The odds of your own toy',
  ownOddsHow:
    'Touch pieces and count. Of 100 pieces of a size, how many feel like this? And when you take such a piece, how many times out of 100 does the bar trip? A guess will do to begin with.',
  oddsOf: '{0}: {1} of 100',
  otherOdds: 'other odds',
  oddsFeel: 'Feels',
  oddsShare: 'Per 100',
  oddsTrip: 'Trips per 100',
  useOdds: 'Use these odds',
  oddsChanged: 'Advice is for the odds that you entered.',
  oddsExample: 'The chances on this page are made up. Enter those of your own toy under More.',
  oddsOwn:
    'A page for your own toy: count how often each piece trips the bar. Then “keepwise odds” turns the counts into a rule file, and “keepwise page FILE.toml” writes its page.',
  touched: '{0}, one of them touched',
  tapBest: 'Tap the best dice for me',
  notKept: '{0} alone cannot be kept.',
  tapped: 'You keep {0}.',
  tappedHolds: 'You keep {0}: {1} in this turn.',
  scorecard: 'Scorecard',
  cardOf: 'Scorecard: {0}',
  upper: 'Upper boxes',
  boxes: 'Boxes',
  bonus: 'bonus {0}',
  tapTwo: 'Tap the two boxes to fill, one after the other.',
  tapSecond: '{0}, and which second box?',
  enterNow: 'Enter {0} in {1}? You could still roll.',
  orEnter: 'Or stop rolling and tap a box.',
  rollHere: 'Roll on this page',
  howTo: 'How to play',
  expected: '{0} on average',
  expectedLeft: '{0} left on average',
  rounds: 'Round',
  frames: 'Frame',
  board: 'Pieces left',
  playerN: 'Player {0}',
  addPerson: 'Add a person',
  withProgram: 'For people with the program',
  forTwo: 'This page is for two. “keepwise page --players 3” writes one for three.',
  forThree: 'Page for three players',
  tiles: 'Tiles',
  shutTile: '{0}, shut',
  tapTiles: 'Tap the tiles to shut: {0} in all.',
  tilesSum: '{0} = {1}; the dice show {2}.',
  orTotal: 'Or tap the total of both dice:',
  sharedTiles: 'The players take turns with the box. Advice is for the fewest points left.',
  cancel: 'Cancel',
  ...(WITH_HANDS ? ENGLISH_HANDS : ({} as typeof ENGLISH_HANDS)),
  ...(WITH_CARDS ? ENGLISH_CARDS : ({} as typeof ENGLISH_CARDS)),
};

export type Words = typeof english;

const german: Words = {
  language: 'Deutsch',
  play: 'Spiel',
  setup: 'Stellung',
  review: 'Bilanz',
  practice: 'Üben',
  more: 'Mehr',
  undo: 'Rückgängig',
  redo: 'Wiederholen',
  yourTurn: 'Am Zug: {0}',
  throwNow: '{0}: {1}',
  stepNow: '{0}: {1}. Was ist das Ergebnis?',
  chooseNow: '{0}: Was tust du?',
  turnHolds: 'In diesem Zug: {0}',
  rollOf: 'Wurf {0} von {1}',
  othersTurn: '{0}: Ergebnis des Zugs',
  throwByThrow: 'Wurf für Wurf eingeben',
  wholeTurn: 'Den ganzen Zug eingeben',
  turnWas: '{0} (ganzer Zug)',
  other: 'Anderes Ergebnis',
  enter: 'Eingeben',
  addFace: '{0} dazu',
  removeDie: '{0} weg',
  dice: 'Gewürfelt',
  faces: 'Seiten',
  missing: 'Tippe an, was gewürfelt wurde: noch {0}',
  tied: 'Gleichstand mit {0} Punkten. Noch je ein Zug: {1}.',
  tiedScores: 'Die Punkte zählen wieder ab 0.',
  crewRule:
    'Erst muss eine 6 fallen (Schiff), dann eine 5 (Kapitän), dann eine 4 (Maat). Die anderen zwei Würfel, die Mannschaft, sind deine Punkte.',
  deadRoll: 'toter Wurf',
  deadSide: '{0} ist die tote Seite: 2 oder 5.',
  choices: 'Möglichkeiten, die beste zuerst',
  best: 'am besten',
  costs: 'kostet {0}',
  unit: '1 PP = ein Prozentpunkt der Gewinnchance.',
  unitReach: '1 PP = ein Prozentpunkt dieser Chance.',
  moreChoices: 'Alle {0} Möglichkeiten zeigen',
  over: 'Das Spiel ist zu Ende.',
  wins: 'Sieg: {0}.',
  shared: '{0} teilen sich den Sieg.',
  scored: '{0}: {1}',
  labelOf: '{0}:',
  toWin: 'Gewinnchance: {0}',
  whatFell: '{0}: {1}',
  busting: ', {0} in {1} der Fälle',
  justAsGood: '; ebenso gut: {0}',
  nextBest: '; nächstbeste Möglichkeit: {0}, kostet {1}',
  mixed: 'Hier sollte der Zufall entscheiden: {1} (in {0} der Fälle) oder {3} (in {2} der Fälle).',
  mixedHere:
    'Ab hier sollte der Zufall zwischen zwei Plänen für den Zug entscheiden: in {0} der Fälle für den einen, in {1} für den anderen.',
  newGame: 'Neues Spiel',
  seatOf: 'Platz {0}',
  advised: 'bekommt Tipps',
  begin: 'Anfangen',
  you: 'Du',
  opponent: 'Gegner',
  opponentN: 'Gegner {0}',
  page: 'Seite',
  save: 'Spiel als Datei speichern',
  load: 'Spieldatei laden',
  loaded: '{0} ist geladen.',
  shareGame: 'Spiel teilen',
  sharePosition: 'Link zu dieser Stellung',
  copied: 'Der Link ist kopiert.',
  copy: 'Diesen Link kopieren:',
  sheet: 'Blatt zum Drucken',
  print: 'Drucken',
  back: 'Zurück',
  rules: 'Regeln dieser Seite',
  ruleOptions: 'Regeloptionen der Befehlszeile',
  defaultIs: 'Standard: {0}',
  about: 'Über diese Seite',
  aboutText:
    'Exakte Tipps, auf dieser Seite berechnet: Es wird nichts verschickt. Die Werte für den Spieler am Zug weichen um höchstens {0} von den wahren ab.',
  roundedText:
    'Damit diese Seite klein bleibt, sind ihre Gewinnchancen um höchstens {0} Prozentpunkte gerundet. Wenn sich zwei Möglichkeiten um nicht mehr als das Doppelte unterscheiden, gelten sie als gleich gut.',
  regret:
    'Bei drei und mehr Spielern kann sich niemand um mehr als {0} verbessern, indem er von diesen Tipps abweicht.',
  questionIs: 'Wenn du einen Fehler meldest, gib bitte an: Problem {0}, Fingerabdruck {1}, {2}.',
  noStorage:
    'Dieser Browser merkt sich nichts für diese Seite: Speichere das Spiel als Datei, bevor du sie schließt.',
  noWasm:
    'Dieser Browser kennt kein WebAssembly, darum gibt es hier keine Tipps; Regeln und Blatt zum Drucken lassen sich trotzdem lesen.',
  failed: 'Etwas ist schiefgegangen: {0}',
  reviewOver: 'Das Spiel ist zu Ende.',
  reviewOpen: 'Das Spiel läuft noch. Als Ergebnis gilt bisher der Wert der jetzigen Stellung.',
  nothingYet: 'Es wurde noch nichts gespielt.',
  start: 'Anfang',
  luck: 'Glück',
  errors: 'eigene Fehler',
  others: 'Fehler der anderen',
  outcome: 'Ergebnis',
  perChoice: 'Kosten je Entscheidung',
  none: 'keine',
  meaning:
    'Ergebnis = Anfang + Glück + eigene Fehler + Fehler der anderen. Glück ist, was die Würfe geändert haben, wenn danach alle so gut wie möglich spielen.',
  meaningAlone:
    'Ergebnis = Anfang + Glück + eigene Fehler. Glück ist, was die Würfe geändert haben, wenn du danach so gut wie möglich spielst.',
  short: '{0}: {1} von {2} Entscheidungen mit Kosten, zusammen {3}{4}. Ohne Glück wäre das Ergebnis {5}.',
  graded: ' (Note: {0})',
  nothingDecided: '{0}: keine Entscheidungen.',
  costliest: 'Die teuersten Entscheidungen',
  mistake: '{0}: {1} kostete {2}. Am besten war {3}.',
  event: 'Ereignis {0}',
  through: 'Alle Würfe und Entscheidungen',
  chart: '{0}: Gewinnchance nach jedem Wurf und jeder Entscheidung',
  chartPlain: '{0}: Wert nach jedem Wurf und jeder Entscheidung',
  chartTurns: '{0}: Gewinnchance nach jedem Zug',
  rollForMe: 'Würfeln',
  practiceText: 'Die Seite würfelt. Wähle zuerst: Danach siehst du, was deine Wahl gekostet hat.',
  stepByStep: 'Schritt für Schritt eingeben',
  letChance: 'Den Zufall entscheiden lassen',
  practiceChance:
    'Die Seite lost aus, was passiert. Wähle zuerst: Danach siehst du, was deine Wahl gekostet hat.',
  stepMeaning:
    'Ergebnis = Anfang + Glück + eigene Fehler + Fehler der anderen. Glück ist, was der Zufall geändert hat, wenn danach alle so gut wie möglich spielen.',
  stepMeaningAlone:
    'Ergebnis = Anfang + Glück + eigene Fehler. Glück ist, was der Zufall geändert hat, wenn du danach so gut wie möglich spielst.',
  throughSteps: 'Alle Schritte',
  chartSteps: '{0}: Gewinnchance nach jedem Schritt',
  chartStepsPlain: '{0}: Wert nach jedem Schritt',
  against: 'Gegen die Seite spielen',
  alone: 'Ein Übungsspiel beginnen',
  quiz: 'Quiz',
  quizText: 'Stellungen, in denen es darauf ankommt. Was würdest du tun?',
  beginQuiz: 'Quiz beginnen',
  quizAsks: 'Was würdest du tun?',
  next: 'Weiter',
  right: 'Richtig: {0}.',
  own: 'deine Wahl',
  wrong: 'Das kostet {0}: {1} war am besten.',
  tally: '{0} von {1} richtig; zusammen {2} verloren.',
  stop: 'Quiz beenden',
  position: 'Stellung',
  apply: 'Stellung öffnen',
  pointsInHand: 'Punkte im Zug',
  toThrow: 'Vor dem Wurf',
  rareFields: 'Selten nötig',
  turnBegins: 'Beginn eines Zugs',
  idOf: 'Oder die Kennung einer Stellung',
  less: '{0}: weniger',
  moreOf: '{0}: mehr',
  thatCost: 'Das kostete {0}: {1} war am besten.',
  history: 'Bisheriger Verlauf',
  languageIs: 'Sprache',
  solving: 'Wird mit deinen Regeln berechnet: {0} %',
  houseRules: 'Hausregeln',
  solveThem: 'Mit diesen Regeln rechnen',
  asShipped: 'Zurück zu den Regeln dieser Seite',
  unreadable: 'Das gespeicherte Spiel lässt sich nicht öffnen',
  unreadableText:
    'Es bleibt gespeichert, bis du entscheidest. Speichere es als Datei oder fang neu an: Es steht dann unter Mehr, Frühere Spiele.',
  afresh: 'Neu anfangen',
  saveStored: 'Das gespeicherte Spiel als Datei speichern',
  earlier: 'Frühere Spiele',
  earlierText:
    'Spiele, die durch ein anderes ersetzt wurden, das neueste zuerst; bis zu {0} bleiben gespeichert.',
  earlierGame: '{0} Einträge, der letzte: {1}',
  resume: 'Dieses Spiel fortsetzen',
  saveEarlier: 'Als Datei speichern',
  remove: 'Löschen',
  setAside: 'Das vorige Spiel bleibt gespeichert: unter Mehr, Frühere Spiele.',
  backToEarlier: 'Zurück zum vorigen Spiel',
  notStored:
    'Dieser Browser hat keinen Platz für dieses Spiel: Speichere es als Datei, bevor du die Seite schließt.',
  openLink: 'Die Stellung dieses Links öffnen?',
  openIt: 'Öffnen',
  stay: 'Hier bleiben',
  linkRules: 'Der Link gehört zu anderen Regeln: {0}. Die Berechnung dauert einige Sekunden.',
  linkOwnRules: 'Der Link gehört zu den Regeln dieser Seite, aber du spielst mit Hausregeln.',
  linkGame: 'Das laufende Spiel bleibt gespeichert: unter Mehr, Frühere Spiele.',
  linkOtherGame:
    'Das laufende Spiel bleibt mit seinen Regeln gespeichert: Geh zu ihnen zurück, um es fortzusetzen.',
  changedRules: 'Hausregeln: {0}.',
  insteadOf: '{0} {1} statt {2}',
  onThisPage: 'Auf dieser Seite: {0}.',
  otherRules:
    'Diese Seite kann nicht mit Regeln rechnen, nach denen drei Fehlwürfe in Folge Punkte kosten (das dauert Minuten), auch nicht mit letzten Runden oder Übernahmen. Was folgt, wenn alle Würfel gezählt haben, lässt sich hier nicht ändern. Dafür braucht man das Programm am Computer.',
  otherRulesFile:
    'Für Regeln, die diese Seite nicht hat, schreibt man eine Regeldatei. Drei Fehlwürfe in Folge: costs = [0, 0, 1000] unter [bust]. Dann erstellt „keepwise page DATEI.toml“ eine Seite dafür.',
  yes: 'ja',
  no: 'nein',
  eventsShown: 'Die letzten {0} von {1} Ereignissen',
  tapDice: 'Tippe die Würfel an, die du behältst.',
  tapCrew: '{0} liegen beiseite. Tippe einen Würfel der Mannschaft an, um ihn zu behalten.',
  keptBefore: 'Behalten:',
  firstNeeds: 'Zum Einstieg brauchst du mindestens {0} Punkte in einem Zug.',
  bankNeeds: 'Zum Sichern brauchst du mindestens {0} Punkte in einem Zug.',
  tapSize: 'Tippe eine Größe an, um ein Stück dieser Größe zu berühren.',
  ownOdds: 'Die Wahrscheinlichkeiten deines Spielzeugs',
  ownOddsHow:
    'Berühre Stücke und zähle. Von 100 Stücken einer Größe: Wie viele fühlen sich so an? Und wenn du ein solches Stück nimmst: Wie oft bei 100 Versuchen schnappt der Bügel zu? Für den Anfang reicht eine Schätzung.',
  oddsOf: '{0}: {1} von 100',
  otherOdds: 'andere Wahrscheinlichkeiten',
  oddsFeel: 'Fühlt sich an',
  oddsShare: 'Von 100',
  oddsTrip: 'Schnappt zu (von 100)',
  useOdds: 'Mit diesen Wahrscheinlichkeiten rechnen',
  oddsChanged: 'Die Tipps gelten für die Wahrscheinlichkeiten, die du eingegeben hast.',
  oddsExample:
    'Die Wahrscheinlichkeiten auf dieser Seite sind erfunden. Unter Mehr kannst du die deines eigenen Spielzeugs eingeben.',
  oddsOwn:
    'Eine Seite für das eigene Spielzeug: Zähle, wie oft der Bügel bei jedem Stück zuschnappt. Dann macht „keepwise odds“ daraus eine Regeldatei, und „keepwise page DATEI.toml“ erstellt die Seite dazu.',
  touched: '{0}, eines davon berührt',
  tapBest: 'Die besten Würfel für mich antippen',
  notKept: '{0} allein kann man nicht behalten.',
  tapped: 'Du behältst {0}.',
  tappedHolds: 'Du behältst {0}: {1} in diesem Zug.',
  scorecard: 'Punktezettel',
  cardOf: 'Punktezettel: {0}',
  upper: 'Obere Felder',
  boxes: 'Felder',
  bonus: 'Bonus {0}',
  tapTwo: 'Tippe die zwei Felder nacheinander an.',
  tapSecond: '{0}, und welches Feld noch?',
  enterNow: '{0} im Feld {1} eintragen? Du könntest noch würfeln.',
  orEnter: 'Oder nicht mehr würfeln und ein Feld antippen.',
  rollHere: 'Hier würfeln',
  howTo: 'So wird gespielt',
  expected: 'im Mittel {0}',
  expectedLeft: 'im Mittel bleiben {0}',
  rounds: 'Runde',
  frames: 'Durchgang',
  board: 'Verbliebene Stücke',
  playerN: 'Spieler {0}',
  addPerson: 'Person hinzufügen',
  withProgram: 'Für alle, die das Programm haben',
  forTwo: 'Diese Seite ist für zwei. Eine für drei erstellt „keepwise page --players 3“.',
  forThree: 'Seite für drei',
  tiles: 'Klappen',
  shutTile: '{0}, umgeklappt',
  tapTiles: 'Tippe Klappen an, die zusammen {0} ergeben.',
  tilesSum: '{0} = {1}; die Würfel zeigen {2}.',
  orTotal: 'Oder tippe die Summe beider Würfel an:',
  sharedTiles: 'Alle spielen reihum mit denselben Klappen. Die Tipps zielen auf möglichst wenige Restpunkte.',
  cancel: 'Abbrechen',
  ...(WITH_HANDS ? GERMAN_HANDS : ({} as typeof GERMAN_HANDS)),
  ...(WITH_CARDS ? GERMAN_CARDS : ({} as typeof GERMAN_CARDS)),
};

const french: Words = {
  language: 'Français',
  play: 'Jeu',
  setup: 'Position',
  review: 'Bilan',
  practice: 'Exercice',
  more: 'Plus',
  undo: 'Annuler la dernière saisie',
  redo: 'Rétablir',
  yourTurn: 'Au tour de : {0}',
  throwNow: '{0} : {1}',
  stepNow: '{0} : {1}. Quel est le résultat ?',
  chooseNow: '{0} : que faites-vous ?',
  turnHolds: 'Ce tour : {0}',
  rollOf: 'Lancer {0} sur {1}',
  othersTurn: '{0} : résultat du tour',
  throwByThrow: 'Saisir lancer par lancer',
  wholeTurn: 'Saisir le tour entier',
  turnWas: '{0} (tour entier)',
  other: 'Autre résultat',
  enter: 'Valider',
  addFace: 'ajouter {0}',
  removeDie: 'retirer {0}',
  dice: 'Dés sortis',
  faces: 'Faces',
  missing: 'Touchez les dés sortis : encore {0}',
  tied: 'Égalité à {0} points. Encore un tour chacun : {1}.',
  tiedScores: 'Les scores repartent de 0.',
  crewRule:
    'Il faut d’abord un 6 (bateau), puis un 5 (capitaine), puis un 4 (second). Les deux autres dés, l’équipage, font vos points.',
  deadRoll: 'lancer mort',
  deadSide: '{0} est la face morte : 2 ou 5.',
  choices: 'Choix, le meilleur d’abord',
  best: 'le meilleur',
  costs: 'coûte {0}',
  unit: '1 pp = un point de pourcentage des chances de gagner.',
  unitReach: '1 pp = un point de pourcentage de ces chances.',
  moreChoices: 'Montrer les {0} choix',
  over: 'La partie est finie.',
  wins: 'Victoire : {0}.',
  shared: '{0} se partagent la victoire.',
  scored: '{0} : {1}',
  labelOf: '{0} :',
  toWin: 'Chances de gagner : {0}',
  whatFell: '{0} : {1}',
  busting: ', {0} dans {1} des cas',
  justAsGood: ' ; aussi bon : {0}',
  nextBest: ' ; deuxième choix : {0}, coûte {1}',
  mixed: 'Ici, il faut laisser le hasard décider : {1} (dans {0} des cas) ou {3} (dans {2} des cas).',
  mixedHere:
    'À partir d’ici, il faut tirer au sort entre deux plans pour ce tour : l’un dans {0} des cas, l’autre dans {1}.',
  newGame: 'Nouvelle partie',
  seatOf: 'Place {0}',
  advised: 'avec conseils',
  begin: 'Commencer',
  you: 'Vous',
  opponent: 'Adversaire',
  opponentN: 'Adversaire {0}',
  page: 'Page',
  save: 'Enregistrer la partie',
  load: 'Ouvrir une partie',
  loaded: '{0} est ouvert.',
  shareGame: 'Partager la partie',
  sharePosition: 'Lien vers cette position',
  copied: 'Le lien est copié.',
  copy: 'Copiez ce lien :',
  sheet: 'Fiche à imprimer',
  print: 'Imprimer',
  back: 'Retour',
  rules: 'Règles de cette page',
  ruleOptions: 'Options de règles de la ligne de commande',
  defaultIs: 'par défaut {0}',
  about: 'À propos',
  aboutText:
    'Conseils exacts, calculés dans cette page : rien n’est envoyé. Les valeurs pour le joueur dont c’est le tour sont exactes à {0} près.',
  roundedText:
    'Pour que cette page reste légère, ses chances de gagner sont arrondies à {0} point de pourcentage près. Les choix dont l’écart ne dépasse pas le double comptent comme équivalents.',
  regret:
    'À trois joueurs et plus, personne ne peut améliorer son résultat de plus de {0} en s’écartant de ces conseils.',
  questionIs: 'Pour signaler une erreur, indiquez : problème {0}, empreinte {1}, {2}.',
  noStorage: 'Ce navigateur ne garde rien pour cette page : enregistrez la partie avant de la fermer.',
  noWasm:
    'Ce navigateur n’a pas WebAssembly : il n’y a donc pas de conseils ici ; les règles et la fiche à imprimer restent lisibles.',
  failed: 'Quelque chose a échoué : {0}',
  reviewOver: 'La partie est finie.',
  reviewOpen:
    'La partie n’est pas encore finie. Le résultat est, pour l’instant, la valeur de la position actuelle.',
  nothingYet: 'Rien n’a encore été joué.',
  start: 'départ',
  luck: 'chance',
  errors: 'erreurs du joueur',
  others: 'erreurs des autres',
  outcome: 'résultat',
  perChoice: 'coût par décision',
  none: 'aucun',
  meaning:
    'Résultat = départ + chance + erreurs du joueur + erreurs des autres. La chance est ce que les lancers ont changé, si tous jouent ensuite au mieux.',
  meaningAlone:
    'Résultat = départ + chance + erreurs du joueur. La chance est ce que les lancers ont changé, si vous jouez ensuite au mieux.',
  short: '{0}, décisions coûteuses : {1} sur {2}, {3} en tout{4}. Sans la chance, le résultat serait {5}.',
  graded: ' (niveau : {0})',
  nothingDecided: '{0} : aucune décision.',
  costliest: 'Les décisions les plus coûteuses',
  mistake: '{0} : {1} a coûté {2}. Le meilleur choix était {3}.',
  event: 'Événement {0}',
  through: 'Tous les lancers et tous les choix',
  chart: '{0} : chances de gagner après chaque lancer et chaque choix',
  chartPlain: '{0} : valeur après chaque lancer et chaque choix',
  chartTurns: '{0} : chances de gagner après chaque tour',
  rollForMe: 'Lancer les dés',
  practiceText: 'La page lance les dés. Choisissez d’abord : le coût s’affiche ensuite.',
  stepByStep: 'Saisir pas à pas',
  letChance: 'Laisser décider le hasard',
  practiceChance: 'La page tire au sort ce qui arrive. Choisissez d’abord : le coût s’affiche ensuite.',
  stepMeaning:
    'Résultat = départ + chance + erreurs du joueur + erreurs des autres. La chance est ce que le hasard a changé, si tous jouent ensuite au mieux.',
  stepMeaningAlone:
    'Résultat = départ + chance + erreurs du joueur. La chance est ce que le hasard a changé, si vous jouez ensuite au mieux.',
  throughSteps: 'Toutes les étapes',
  chartSteps: '{0} : chances de gagner après chaque étape',
  chartStepsPlain: '{0} : valeur après chaque étape',
  against: 'Jouer contre la page',
  alone: 'Jouer une partie d’exercice',
  quiz: 'Quiz',
  quizText: 'Des positions où le choix compte. Que feriez-vous ?',
  beginQuiz: 'Commencer le quiz',
  quizAsks: 'Que feriez-vous ?',
  next: 'Suivant',
  right: 'Juste : {0}.',
  own: 'votre choix',
  wrong: 'Cela coûte {0} : le mieux était {1}.',
  tally: '{0} justes sur {1} ; perte totale : {2}.',
  stop: 'Finir le quiz',
  position: 'Position',
  apply: 'Ouvrir la position',
  pointsInHand: 'Points du tour',
  toThrow: 'Avant le lancer',
  rareFields: 'Rarement utile',
  turnBegins: 'Début d’un tour',
  idOf: 'Ou l’identifiant d’une position',
  less: '{0} : moins',
  moreOf: '{0} : plus',
  thatCost: 'Cela a coûté {0} : le mieux était {1}.',
  history: 'Déroulement',
  languageIs: 'Langue',
  solving: 'Calcul avec vos règles : {0} %',
  houseRules: 'Règles de la maison',
  solveThem: 'Calculer avec ces règles',
  asShipped: 'Revenir aux règles de cette page',
  unreadable: 'La partie conservée ne peut pas être ouverte',
  unreadableText:
    'Elle reste conservée jusqu’à votre décision. Enregistrez-la, ou recommencez : elle figure alors sous Plus, Parties précédentes.',
  afresh: 'Recommencer',
  saveStored: 'Enregistrer la partie conservée',
  earlier: 'Parties précédentes',
  earlierText: 'Parties remplacées par une autre, la plus récente d’abord ; {0} au plus sont conservées.',
  earlierGame: '{0} entrées, la dernière : {1}',
  resume: 'Reprendre cette partie',
  saveEarlier: 'L’enregistrer',
  remove: 'La supprimer',
  setAside: 'La partie précédente est conservée : voir Plus, Parties précédentes.',
  backToEarlier: 'Revenir à la partie précédente',
  notStored:
    'Ce navigateur n’a pas la place de conserver cette partie : enregistrez-la avant de fermer la page.',
  openLink: 'Ouvrir la position de ce lien ?',
  openIt: 'L’ouvrir',
  stay: 'Rester ici',
  linkRules: 'Ce lien utilise d’autres règles : {0}. Le calcul prend quelques secondes.',
  linkOwnRules: 'Ce lien utilise les règles de cette page, mais vous jouez avec des règles de la maison.',
  linkGame: 'La partie en cours est conservée sous Plus, Parties précédentes.',
  linkOtherGame: 'La partie en cours est conservée avec ses règles : revenez-y pour la reprendre.',
  changedRules: 'Règles de la maison : {0}.',
  insteadOf: '{0} {1} au lieu de {2}',
  onThisPage: 'Sur cette page : {0}.',
  otherRules:
    'Cette page ne peut pas calculer avec des règles où trois tours perdus de suite coûtent des points (cela prend des minutes), ni avec un dernier tour, ni avec des reprises. On ne peut pas non plus y changer ce qui suit quand tous les dés ont marqué. Il faut alors le programme, sur un ordinateur.',
  otherRulesFile:
    'Pour les règles que cette page n’a pas, écrivez un fichier de règles. Trois tours perdus de suite : costs = [0, 0, 1000] sous [bust]. Puis « keepwise page FICHIER.toml » crée une page pour ces règles.',
  yes: 'oui',
  no: 'non',
  eventsShown: 'Les {0} derniers événements sur {1}',
  tapDice: 'Touchez les dés à garder.',
  tapCrew: '{0} sont mis de côté. Touchez un dé d’équipage pour le garder.',
  keptBefore: 'Gardés :',
  firstNeeds: 'Pour ouvrir, il faut au moins {0} points en un tour.',
  bankNeeds: 'Pour encaisser, il faut au moins {0} points en un tour.',
  tapSize: 'Choisissez la taille de la pièce à toucher.',
  ownOdds: 'Les probabilités de votre jouet',
  ownOddsHow:
    'Touchez des pièces et comptez. Sur 100 pièces d’une taille, combien donnent cette impression ? Et si vous prenez une telle pièce, combien de fois sur 100 la barre se déclenche-t-elle ? Pour commencer, une estimation suffit.',
  oddsOf: '{0} : {1} sur 100',
  otherOdds: 'd’autres probabilités',
  oddsFeel: 'Au toucher',
  oddsShare: 'Sur 100',
  oddsTrip: 'Déclenche (sur 100)',
  useOdds: 'Utiliser ces probabilités',
  oddsChanged: 'Les conseils valent pour les probabilités que vous avez saisies.',
  oddsExample:
    'Les probabilités de cette page sont inventées. Saisissez celles de votre propre jouet sous Plus.',
  oddsOwn:
    'Une page pour votre propre jouet : comptez combien de fois chaque pièce déclenche la barre. Puis « keepwise odds » en tire un fichier de règles, et « keepwise page FICHIER.toml » crée sa page.',
  touched: '{0}, dont une touchée',
  tapBest: 'Choisir pour moi les meilleurs dés',
  notKept: 'On ne peut pas garder seulement {0}.',
  tapped: 'Vous gardez {0}.',
  tappedHolds: 'Vous gardez {0} : {1} dans ce tour.',
  scorecard: 'Feuille de marque',
  cardOf: 'Feuille de marque : {0}',
  upper: 'Cases du haut',
  boxes: 'Cases',
  bonus: 'prime {0}',
  tapTwo: 'Touchez les deux cases l’une après l’autre.',
  tapSecond: '{0}, et quelle autre case ?',
  enterNow: 'Inscrire {0} dans {1} ? Vous pouvez encore lancer.',
  orEnter: 'Ou ne plus lancer et toucher une case.',
  rollHere: 'Lancer ici',
  howTo: 'Règle du jeu',
  expected: '{0} en moyenne',
  expectedLeft: '{0} restants en moyenne',
  rounds: 'Manche',
  frames: 'Manche',
  board: 'Pièces restantes',
  playerN: 'Joueur {0}',
  addPerson: 'Ajouter quelqu’un',
  withProgram: 'Si vous avez le programme',
  forTwo: 'Cette page est pour deux. « keepwise page --players 3 » en crée une pour trois.',
  forThree: 'Page pour trois joueurs',
  tiles: 'Clapets',
  shutTile: '{0}, fermé',
  tapTiles: 'Touchez des clapets dont la somme fait {0}.',
  tilesSum: '{0} = {1} ; les dés montrent {2}.',
  orTotal: 'Ou touchez le total des deux dés :',
  sharedTiles: 'Chacun joue à son tour avec la boîte. Les conseils visent le moins de points restants.',
  cancel: 'Annuler',
  ...(WITH_HANDS ? FRENCH_HANDS : ({} as typeof FRENCH_HANDS)),
  ...(WITH_CARDS ? FRENCH_CARDS : ({} as typeof FRENCH_CARDS)),
};

export const LANGUAGES: Record<string, Words> = { en: english, de: german, fr: french };

const CHOICE_TEXTS: Record<string, ChoiceText> = { en: ENGLISH, de: GERMAN, fr: FRENCH };

const NAMES: Record<string, Record<string, string>> = { en: {}, de: GERMAN_NAMES, fr: FRENCH_NAMES };

const UNITS: Record<string, Units> = {
  en: ENGLISH_UNITS,
  de: {
    percent: '{0}\u00a0%',
    loss: '{0}\u00a0PP',
    over: 'über {0}',
    below: 'unter {0}',
    win: '{0} Gewinn\u00adchance',
    reach: '{0} Chance, das Ziel zu erreichen',
    beat: '{0} Chance auf mehr Punkte',
    margin: '{0} Punkte Vorsprung',
    points: '{0} Punkte',
    turns: '{0} Züge',
    chips: '{0} Chips',
  },
  fr: {
    percent: '{0}\u00a0%',
    loss: '{0}\u00a0pp',
    over: 'plus de {0}',
    below: 'moins de {0}',
    win: '{0} de chances',
    reach: '{0} de chances d’atteindre le score',
    beat: '{0} de chances de finir devant',
    margin: '{0} points d’écart',
    points: '{0} points',
    turns: '{0} tours',
    chips: '{0} jetons',
  },
};

/** Translations of the words that the engine uses for results, grades and kinds of errors. */
const TERMS: Record<string, Record<string, string>> = {
  en: {
    'large safe': 'large, safe',
    'medium safe': 'medium, safe',
    'small safe': 'small, safe',
    'large tripped': 'large, tripped',
    'medium tripped': 'medium, tripped',
    'small tripped': 'small, tripped',
    'stopping too early': 'stopped too early',
    'stopping too late': 'stopped too late',
    keeping: 'kept the wrong dice',
    shutting: 'shut the wrong tiles',
    choosing: 'the wrong choice',
    category: 'the wrong box',
  },
  de: {
    large: 'groß',
    medium: 'mittel',
    small: 'klein',
    busts: 'Fehlwurf',
    busting: 'Fehlwurf',
    wipes: 'löscht alles',
    'wiping the score': 'alle Punkte gelöscht',
    trips: 'Bügel schnappt zu',
    tripping: 'Zuschnappen des Bügels',
    tripped: 'zugeschnappt',
    'not tripped': 'nicht zugeschnappt',
    'large safe': 'groß, Bügel hält',
    'medium safe': 'mittel, Bügel hält',
    'small safe': 'klein, Bügel hält',
    'large tripped': 'groß, zugeschnappt',
    'medium tripped': 'mittel, zugeschnappt',
    'small tripped': 'klein, zugeschnappt',
    pass: 'passen',
    loose: 'locker',
    springy: 'federnd',
    tight: 'fest',
    bust: 'Fehlwurf',
    win: 'gewonnen',
    wipe: 'alles gelöscht',
    flawless: 'fehlerlos',
    expert: 'meisterlich',
    advanced: 'stark',
    good: 'gut',
    fair: 'ordentlich',
    casual: 'mittelmäßig',
    guessing: 'geraten',
    'stopping too early': 'zu früh aufgehört',
    'stopping too late': 'zu spät aufgehört',
    keeping: 'falsche Würfel behalten',
    shutting: 'die falschen Klappen umgeklappt',
    'ends the turn': 'Zug endet',
    'ending the turn': 'Zug endet',
    choosing: 'falsch gewählt',
    category: 'falsches Feld',
  },
  fr: {
    large: 'grandes',
    medium: 'moyennes',
    small: 'petites',
    busts: 'perdu',
    busting: 'perdu',
    wipes: 'efface tout',
    'wiping the score': 'tout est effacé',
    trips: 'la barre se déclenche',
    tripping: 'la barre se déclenche',
    tripped: 'barre déclenchée',
    'not tripped': 'barre non déclenchée',
    'large safe': 'grande, la barre tient',
    'medium safe': 'moyenne, la barre tient',
    'small safe': 'petite, la barre tient',
    'large tripped': 'grande, barre déclenchée',
    'medium tripped': 'moyenne, barre déclenchée',
    'small tripped': 'petite, barre déclenchée',
    pass: 'passer',
    loose: 'lâche',
    springy: 'élastique',
    tight: 'serrée',
    bust: 'perdu',
    win: 'gagné',
    wipe: 'effacé',
    flawless: 'sans faute',
    expert: 'expert',
    advanced: 'avancé',
    good: 'bon',
    fair: 'correct',
    casual: 'occasionnel',
    guessing: 'au hasard',
    'stopping too early': 'arrêt trop tôt',
    'stopping too late': 'arrêt trop tard',
    keeping: 'mauvais dés gardés',
    shutting: 'mauvais clapets fermés',
    'ends the turn': 'fin du tour',
    'ending the turn': 'fin du tour',
    choosing: 'mauvais choix',
    category: 'mauvaise case',
  },
};

/** Labels of the fields of a position; for two players, `opponents` is one person. */
const FIELDS: Record<string, Record<string, string>> = {
  en: {
    score: 'Your points so far',
    opponent: 'Your opponent’s points so far',
    opponents: 'The opponents’ points so far, in the order in which they play after you',
    round: 'Round',
    frame: 'Frame',
    used: 'Boxes that are filled already',
    upper: 'Points in the upper boxes so far',
    left: 'Large, medium and small pieces that are left',
    passes: 'Turns in a row that ended with a pass',
    up: 'Tiles that still stand',
    seat: 'How many players play before you (0: you begin)',
    playoff: 'Players in a playoff or an extra frame, counted from 0, such as 0,1',
    busts: 'Your busts in a row before this turn',
    opponents_busts: 'The opponent’s busts in a row',
    turns_left: 'Turns left, with this one',
    feel: 'Feels',
    double: 'Rolled after doubling down',
  },
  de: {
    score: 'Deine Punkte bisher',
    opponent: 'Punkte deines Gegners bisher',
    opponents: 'Punkte der Gegner bisher, in der Reihenfolge nach dir',
    round: 'Runde',
    frame: 'Durchgang',
    used: 'Felder, die schon gefüllt sind',
    upper: 'Punkte in den oberen Feldern bisher',
    left: 'Große, mittlere und kleine Stücke, die noch da sind',
    passes: 'Züge in Folge, die mit Passen endeten',
    up: 'Klappen, die noch stehen',
    seat: 'Wie viele vor dir spielen (0: du beginnst)',
    playoff: 'Wer an einem Stechen teilnimmt, gezählt ab 0, zum Beispiel 0,1',
    beat: 'Die bisher beste Summe; leer, wenn du beginnst',
    tied: 'Wie viele diese Summe haben',
    holders: 'Wer die bisher beste Summe hat, gezählt ab 0, zum Beispiel 0,1',
    busts: 'Deine Fehlwürfe in Folge vor diesem Zug',
    opponents_busts: 'Fehlwürfe des Gegners in Folge',
    turns_left: 'Züge, die noch bleiben, mit diesem',
    feel: 'Fühlt sich an',
    double: 'Beim Verdoppeln geworfen',
  },
  fr: {
    score: 'Vos points jusqu’ici',
    opponent: 'Points de l’adversaire jusqu’ici',
    opponents: 'Points des adversaires jusqu’ici, dans l’ordre après vous',
    round: 'Manche',
    frame: 'Manche',
    used: 'Cases déjà remplies',
    upper: 'Points des cases du haut jusqu’ici',
    left: 'Pièces grandes, moyennes et petites qui restent',
    passes: 'Tours de suite où l’on a passé',
    up: 'Clapets encore debout',
    seat: 'Combien de joueurs jouent avant vous (0 : vous commencez)',
    playoff: 'Joueurs d’un départage, comptés à partir de 0, par exemple 0,1',
    beat: 'Le meilleur total jusqu’ici ; vide si vous commencez',
    tied: 'Combien de joueurs ont ce total',
    holders: 'Joueurs qui ont le meilleur total, comptés à partir de 0, par exemple 0,1',
    busts: 'Vos tours perdus de suite avant celui-ci',
    opponents_busts: 'Tours perdus de suite de l’adversaire',
    turns_left: 'Tours qui restent, avec celui-ci',
    feel: 'Au toucher',
    double: 'Lancé en doublant',
  },
};

/** By key, the name of a house rule and what it says; by key and value, the values that are words. */
const HOUSE_RULES: Record<string, Record<string, string[]>> = {
  en: {
    target: ['target', 'The first player with this many points wins.'],
    opening: ['opening', 'The first bank requires this many points in one turn.'],
    minimum: ['minimum', 'Every bank requires this many points.'],
    minimum_on_win: ['for the win, too', 'Opening and minimum also hold in the turn that wins.'],
    straight: ['straight', 'Points of the longest straight in one roll; 0: it scores nothing.'],
    three_pairs: ['three pairs', 'Points of three pairs in one roll; 0: they score nothing.'],
    four_alike: ['four or more alike', 'What four and more alike score in one roll.'],
    five_ones: ['five 1s', 'What five 1s in one roll do.'],
    hot_dice: ['hot dice', 'What follows once all dice are set aside.'],
    points: ['points', 'What a roll scores.'],
    'four_alike plain': ['as three alike and single dice'],
    'four_alike doubling': ['each die beyond three doubles the points'],
    'four_alike adding': ['each die beyond three adds the points of three'],
    'four_alike flat': ['1,000, 2,000, 3,000'],
    'four_alike own': ['as in How to play'],
    'five_ones win': ['they win'],
    'five_ones points': ['they score like any other dice'],
    'hot_dice free': ['may be rolled again'],
    'hot_dice must': ['must be rolled again'],
    'hot_dice none': ['end the turn'],
  },
  de: {
    target: ['Ziel', 'Wer zuerst so viele Punkte hat, gewinnt.'],
    opening: ['Einstieg', 'Zum ersten Sichern sind so viele Punkte in einem Zug nötig.'],
    minimum: ['Minimum', 'Zum Sichern sind so viele Punkte in einem Zug nötig.'],
    minimum_on_win: ['auch beim Sieg', 'Einstieg und Minimum gelten auch in dem Zug, mit dem man gewinnt.'],
    straight: ['Straße', 'Punkte der längsten Straße in einem Wurf; 0: Sie zählt nicht.'],
    three_pairs: ['drei Paare', 'Punkte für drei Paare in einem Wurf; 0: Sie zählen nicht.'],
    four_alike: ['vier und mehr Gleiche', 'Was vier und mehr Gleiche in einem Wurf zählen.'],
    five_ones: ['fünf Einsen', 'Was fünf Einsen in einem Wurf bewirken.'],
    hot_dice: ['alle Würfel beiseite', 'Was folgt, sobald alle Würfel beiseitegelegt sind.'],
    points: ['Punkte', 'Was ein Wurf zählt.'],
    'four_alike plain': ['wie drei Gleiche und einzelne Würfel'],
    'four_alike doubling': ['jeder Würfel über drei hinaus verdoppelt die Punkte'],
    'four_alike adding': ['jeder Würfel über drei hinaus bringt die Punkte der drei noch einmal'],
    'four_alike flat': ['1.000, 2.000, 3.000'],
    'four_alike own': ['wie unter „So wird gespielt“'],
    'five_ones win': ['sie gewinnen'],
    'five_ones points': ['sie zählen wie andere Würfel'],
    'hot_dice free': ['man darf neu würfeln'],
    'hot_dice must': ['man muss neu würfeln'],
    'hot_dice none': ['der Zug endet'],
  },
  fr: {
    target: ['score à atteindre', 'Le premier joueur à atteindre ce score gagne.'],
    opening: ['ouverture', 'Il faut ce nombre de points en un tour pour encaisser la première fois.'],
    minimum: ['minimum', 'Il faut ce nombre de points en un tour pour encaisser.'],
    minimum_on_win: ['aussi pour gagner', 'L’ouverture et le minimum valent aussi pour le tour gagnant.'],
    straight: ['suite', 'Points de la plus longue suite en un lancer ; 0 : elle ne rapporte rien.'],
    three_pairs: ['trois paires', 'Points de trois paires en un lancer ; 0 : elles ne rapportent rien.'],
    four_alike: [
      'quatre identiques ou plus',
      'Ce que quatre dés identiques ou plus rapportent en un lancer.',
    ],
    five_ones: ['cinq 1', 'Ce que font cinq 1 en un lancer.'],
    hot_dice: ['tous les dés mis de côté', 'Ce qui suit quand tous les dés sont mis de côté.'],
    points: ['points', 'Ce qu’un lancer rapporte.'],
    'four_alike plain': ['comme un brelan et des dés seuls'],
    'four_alike doubling': ['chaque dé au-delà de trois double les points'],
    'four_alike adding': ['chaque dé au-delà de trois ajoute les points du brelan'],
    'four_alike flat': ['1 000, 2 000, 3 000'],
    'four_alike own': ['comme sous « Règle du jeu »'],
    'five_ones win': ['ils gagnent'],
    'five_ones points': ['ils comptent comme les autres dés'],
    'hot_dice free': ['on peut les relancer'],
    'hot_dice must': ['il faut les relancer'],
    'hot_dice none': ['le tour se termine'],
  },
};

let currentLanguage = 'en';

export function setLanguage(language: string): void {
  currentLanguage = language in LANGUAGES ? language : 'en';
}

export function language(): string {
  return currentLanguage;
}

/** Return a text in the current language, with its parts filled in. */
export function say(key: keyof Words, ...parts: (string | number)[]): string {
  return LANGUAGES[currentLanguage][key].replace(/\{(\d)\}/g, (_, n) => String(parts[Number(n)]));
}

/** The texts that speak of rolls, and those in their place in a game without dice. */
const WITHOUT_DICE = {
  throwByThrow: 'stepByStep',
  rollForMe: 'letChance',
  practiceText: 'practiceChance',
  meaning: 'stepMeaning',
  meaningAlone: 'stepMeaningAlone',
  through: 'throughSteps',
  chart: 'chartSteps',
  chartPlain: 'chartStepsPlain',
} as const;

/** Return a text that speaks of rolls in the current language, in words that fit the game. */
export function sayIn({ family }: { family: string }, key: keyof typeof WITHOUT_DICE, part = ''): string {
  return say(family === 'touch' ? WITHOUT_DICE[key] : key, part);
}

/** Return the word for a roll that goes wrong: of a heading, or in a sentence. */
export function mishapText(
  { family, mishap }: { family: string; mishap: [string, string] },
  place: 0 | 1,
): string {
  return family === 'scarney' ? say('deadRoll') : translate(mishap[place]);
}

/** Return words as a sentence, with a full stop if they have no end. */
export function asSentence(words: string): string {
  return /[.!?:]$/.test(words) ? words : `${words}.`;
}

/** Translate a word of the engine; without a translation, return the word itself. */
export function translate(word: string): string {
  return TERMS[currentLanguage]?.[word] ?? word;
}

/** Return the name of a set or box in the current language. */
export function boxText(box: string): string {
  return translateName(box, NAMES[currentLanguage]);
}

/** Return a line of How to play in the current language, with the names in braces; null if it is in English only. */
export function howText(line: string[]): string | null {
  const text = line[['en', 'de', 'fr'].indexOf(currentLanguage)] as string | undefined;
  if (text === undefined || currentLanguage === 'en') return text ?? null;
  const named = text.replace(/\{(.+?)\}/g, (_, name: string) => boxText(name));
  return local(named[0].toUpperCase() + named.slice(1));
}

/** Return the label of a field of a position; "" if the field has only its help text. */
export function fieldText(name: string, players: number): string {
  return FIELDS[currentLanguage][name === 'opponents' && players === 2 ? 'opponent' : name] ?? '';
}

/** Return the name of a house rule and what it says, or a word that is its value; nothing without such a text. */
export function houseText(term: string): string[] {
  return HOUSE_RULES[currentLanguage][term] ?? [];
}

/** Return the text of a refusal in the current language. */
export function refusalText(refusal: Phrase): string {
  return visible(phraseText(refusal, currentLanguage));
}

/** Return words with a capital letter at the beginning. */
export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Return the text of a step of a game in the current language. */
export function stepText({ kind, choice, text: result }: Step): string {
  if (choice) return choiceText(choice);
  return kind === 'turn' ? turnText(result.replace(/^turn\s+/i, '')) : local(translate(result));
}

/** Return the text of a whole turn, from the words of its result. */
function turnText(result: string): string {
  const words = /^(large|medium|small)$/.test(result) ? `${result} safe` : result;
  return say('turnWas', local(translate(words)));
}

/** Write the numbers in a text as the current language does. */
export function local(text: string): string {
  if (currentLanguage === 'en') return text;
  const thousands = currentLanguage === 'de' ? '.' : '\u202f';
  return text.replace(/\d+(,\d{3})*(\.\d+)?/g, (number) =>
    number.replace(/,|\./g, (mark) => (mark === ',' ? thousands : ',')),
  );
}

/** Return the text of a choice in the current language. */
export function choiceText(act: Act): string {
  return local(formatChoice(act, CHOICE_TEXTS[currentLanguage]));
}

export function formatPercent(chance: number): string {
  return local(plainPercent(chance, UNITS[currentLanguage]));
}

export function formatValue(value: number, objective: string): string {
  return withUnit(plainValue(value, objective, UNITS[currentLanguage]));
}

export function formatLoss(loss: number, objective: string, isBare = false): string {
  return withUnit(plainLoss(loss, objective, unitsOf(isBare)));
}

/** Write a number with its unit as the current language does; in French, fewer than two are singular: 1,5 point. */
function withUnit(text: string): string {
  const words = local(text);
  if (currentLanguage !== 'fr') return words;
  return words.replace(/(^|[^\d,\u202f])([01](?:,\d+)? (?:point|tour|jeton))s/, '$1$2');
}

/** Write a bound with a power of ten: 6e-13 as 6 · 10⁻¹³. */
export function formatBound(text: string): string {
  return local(text).replace(/e([+-])0*(\d+)$/, (_, sign: string, power: string) => {
    const digits = [...power].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('');
    return ` · 10${sign === '-' ? '⁻' : ''}${digits}`;
  });
}

/** Return the units of the current language; if bare, only the percent sign. */
function unitsOf(bare: boolean): Units {
  return bare
    ? { ...UNITS[currentLanguage], margin: '{0}', points: '{0}', turns: '{0}', chips: '{0}' }
    : UNITS[currentLanguage];
}

/** Format a sum of luck or errors with its sign and without its unit. */
export function formatSigned(amount: number, objective: string): string {
  return local(plainSigned(amount, objective, unitsOf(true)));
}

/** Format a value without "to win"; if bare, also without its unit. */
export function formatPlain(value: number, objective: string, bare = false): string {
  return withUnit(plainNumber(value, objective, unitsOf(bare)));
}
