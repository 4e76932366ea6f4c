/** Every word that the page says itself, by language. */
import { ENGLISH, FRENCH, GERMAN, type ChoiceText, formatChoice } from './choice_text';
import type { Act } from './choices';
import type { Step } from './game';
import {
  ENGLISH_UNITS,
  type Units,
  cost as plainCost,
  percent as plainPercent,
  worth as plainWorth,
} from './numbers';
import { plain as plainValue, signed as plainSigned } from './review';

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
  throwNow: '{0}: {1}. What fell?',
  chooseNow: '{0}: what do you do?',
  turnHolds: 'turn {0}',
  othersTurn: '{0}: what did the turn bring?',
  throwByThrow: 'Tell it throw by throw',
  wholeTurn: 'Tell the whole turn',
  other: 'Other',
  enter: 'Enter',
  addFace: 'add {0}',
  removeDie: 'remove {0}',
  dice: 'Dice that fell',
  faces: 'Faces',
  missing: '{0} more to tell',
  choices: 'Choices, the best first',
  best: 'best',
  costs: 'costs {0}',
  moreChoices: 'Show all {0} choices',
  over: 'The game is over.',
  wins: 'Winner: {0}.',
  shared: '{0} share the win.',
  scored: '{0}: {1}',
  toWin: '{0} to win',
  whatFell: '{0}: {1}',
  busting: ', {0} {1} of the time',
  justAsGood: '; just as good: {0}',
  nextBest: '; next best, {0}, costs {1}',
  mixed: 'Two turns are mixed: {0} of the time {1}, and {2} of the time {3}.',
  mixedHere: 'Two turns are mixed from here, one {0} of the time and one {1} of the time.',
  newGame: 'New game',
  seatOf: 'Seat {0}',
  advised: 'advised',
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
  usual: 'usual',
  different: 'different',
  about: 'About',
  aboutText:
    'Exact advice, worked out in this page: nothing is sent anywhere. No value is further than {0} from the true one.',
  regret: 'With three and more players nobody gains more than {0} by leaving this play.',
  questionIs: 'Question {0}, fingerprint {1}, {2}.',
  noStorage: 'This browser keeps nothing for this page: save the game as a file before you close it.',
  noWasm:
    'This browser has no WebAssembly, so there is no advice here; the rules and the sheet can still be read.',
  failed: 'Something went wrong: {0}',
  reviewOver: 'The game is over.',
  reviewOpen: 'The game is not over: its outcome is what it stands at.',
  nothingYet: 'Nothing has been played yet.',
  start: 'start',
  luck: 'luck',
  errors: 'errors',
  others: 'others',
  outcome: 'outcome',
  perChoice: 'per choice',
  none: 'none',
  meaning:
    'outcome = start + luck of all throws + own errors + what the others’ errors brought; luck is measured against the best play from there on.',
  short: '{0}: {1} of {2} decisions cost something, {3} in all{4}; without luck {5}.',
  nothingDecided: '{0}: nothing was decided.',
  costliest: 'The costliest decisions',
  mistake: '{0}, {1}: {2} cost {3}; best was {4}.',
  event: 'event {0}',
  through: 'The game, event by event',
  chart: 'Chance to win of {0} through the game, event by event',
  chartPlain: 'Value for {0} through the game, event by event',
  rollForMe: 'Roll the dice',
  practiceText: 'The page throws the dice. Choose first: what it cost is told afterwards.',
  against: 'Play against the page',
  quiz: 'Quiz',
  quizText: 'Positions in which it matters what you do. What would you do?',
  next: 'Next',
  right: 'Right: {0}.',
  wrong: 'That costs {0}: {1} was best.',
  tally: '{0} of {1} right; {2} lost in all.',
  stop: 'Stop',
  position: 'Position',
  apply: 'Go there',
  pointsInHand: 'Points in hand',
  toThrow: 'About to throw',
  turnBegins: 'A turn begins',
  idOf: 'Or the id of a position',
  less: '{0}: less',
  moreOf: '{0}: more',
  thatCost: 'That cost {0}: {1} was best.',
  history: 'What happened',
  languageIs: 'Language',
  solving: 'Solving with your rules: {0} %',
  houseRules: 'House rules',
  solveThem: 'Solve with these rules',
  asShipped: 'Back to the rules of this page',
  unreadable: 'The stored game cannot be opened',
  unreadableText:
    'It stays stored until you decide. Save it as a file, or start afresh: then it is listed under More, Earlier games.',
  afresh: 'Start afresh',
  saveStored: 'Save the stored game as a file',
  earlier: 'Earlier games',
  earlierText: 'Games that another one replaced, the newest first; up to {0} are kept.',
  earlierGame: '{0} lines; the last: {1}',
  resume: 'Go on with this game',
  saveEarlier: 'Save it as a file',
  remove: 'Delete it',
  setAside: 'The game before is kept: see More, Earlier games.',
  backToEarlier: 'Back to the game before',
  notStored: 'This browser has no room to store this game: save it as a file before you close the page.',
  openLink: 'Open the position of this link?',
  openIt: 'Open it',
  stay: 'Stay here',
  linkRules: 'The link has other rules: {0}. Solving them takes some seconds.',
  linkOwnRules: 'The link has the rules of this page, and you play under house rules.',
  linkGame: 'The game in progress is kept under More, Earlier games.',
  linkOtherGame: 'The game in progress is kept with its rules: go back to them to go on with it.',
  changedRules: 'House rules: {0}.',
  insteadOf: '{0} {1} instead of {2}',
  yes: 'yes',
  no: 'no',
  eventsShown: 'The last {0} of {1} events',
};

export type Words = typeof english;

const german: Words = {
  language: 'Deutsch',
  play: 'Spiel',
  setup: 'Stellung',
  review: 'Bilanz',
  practice: 'Üben',
  more: 'Mehr',
  undo: 'Zurück',
  redo: 'Wieder',
  yourTurn: '{0} ist am Zug',
  throwNow: '{0}: {1}. Was ist gefallen?',
  chooseNow: '{0}: Was tust du?',
  turnHolds: 'im Zug {0}',
  othersTurn: '{0}: Was hat der Zug gebracht?',
  throwByThrow: 'Wurf für Wurf eingeben',
  wholeTurn: 'Den ganzen Zug eingeben',
  other: 'Anderes',
  enter: 'Eingeben',
  addFace: '{0} dazu',
  removeDie: '{0} weg',
  dice: 'Gefallene Würfel',
  faces: 'Seiten',
  missing: 'noch {0}',
  choices: 'Möglichkeiten, die beste zuerst',
  best: 'am besten',
  costs: 'kostet {0}',
  moreChoices: 'Alle {0} Möglichkeiten zeigen',
  over: 'Das Spiel ist zu Ende.',
  wins: 'Sieg: {0}.',
  shared: '{0} teilen sich den Sieg.',
  scored: '{0}: {1}',
  toWin: '{0} zu gewinnen',
  whatFell: '{0}: {1}',
  busting: ', {0} mit {1}',
  justAsGood: '; ebenso gut: {0}',
  nextBest: '; danach {0}, kostet {1}',
  mixed: 'Zwei Züge werden gemischt: zu {0} {1}, zu {2} {3}.',
  mixedHere: 'Von hier an werden zwei Züge gemischt, einer zu {0}, einer zu {1}.',
  newGame: 'Neues Spiel',
  seatOf: 'Platz {0}',
  advised: 'bekommt Rat',
  begin: 'Anfangen',
  you: 'Du',
  opponent: 'Gegner',
  opponentN: 'Gegner {0}',
  page: 'Seite',
  save: 'Spiel als Datei sichern',
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
  usual: 'üblich',
  different: 'abweichend',
  about: 'Über diese Seite',
  aboutText:
    'Exakter Rat, in dieser Seite gerechnet: Nichts wird irgendwohin geschickt. Kein Wert liegt weiter als {0} vom wahren entfernt.',
  regret: 'Bei drei und mehr Spielern gewinnt niemand mehr als {0}, der von diesem Spiel abweicht.',
  questionIs: 'Frage {0}, Kennung {1}, {2}.',
  noStorage:
    'Dieser Browser merkt sich nichts für diese Seite: Sichere das Spiel als Datei, bevor du sie schließt.',
  noWasm:
    'Dieser Browser kennt kein WebAssembly, darum gibt es hier keinen Rat; Regeln und Blatt lassen sich lesen.',
  failed: 'Etwas ging schief: {0}',
  reviewOver: 'Das Spiel ist zu Ende.',
  reviewOpen: 'Das Spiel ist nicht zu Ende: Das Ergebnis ist sein Stand.',
  nothingYet: 'Noch ist nichts gespielt.',
  start: 'Beginn',
  luck: 'Glück',
  errors: 'Fehler',
  others: 'andere',
  outcome: 'Ergebnis',
  perChoice: 'je Wahl',
  none: 'keine',
  meaning:
    'Ergebnis = Beginn + Glück aller Würfe + eigene Fehler + was die Fehler der anderen brachten; Glück ist gegen das beste Spiel von dort an gemessen.',
  short: '{0}: {1} von {2} Entscheidungen kosteten etwas, zusammen {3}{4}; ohne Glück {5}.',
  nothingDecided: '{0}: Es gab nichts zu entscheiden.',
  costliest: 'Die teuersten Entscheidungen',
  mistake: '{0}, {1}: {2} kostete {3}; am besten war {4}.',
  event: 'Ereignis {0}',
  through: 'Das Spiel, Ereignis für Ereignis',
  chart: 'Gewinnchance von {0} durch das Spiel, Ereignis für Ereignis',
  chartPlain: 'Wert für {0} durch das Spiel, Ereignis für Ereignis',
  rollForMe: 'Würfeln',
  practiceText: 'Die Seite würfelt. Wähle zuerst: Was es gekostet hat, steht danach da.',
  against: 'Gegen die Seite spielen',
  quiz: 'Quiz',
  quizText: 'Stellungen, in denen es darauf ankommt. Was würdest du tun?',
  next: 'Weiter',
  right: 'Richtig: {0}.',
  wrong: 'Das kostet {0}: {1} war am besten.',
  tally: '{0} von {1} richtig; zusammen {2} verloren.',
  stop: 'Aufhören',
  position: 'Stellung',
  apply: 'Dorthin',
  pointsInHand: 'Punkte im Zug',
  toThrow: 'Vor dem Wurf',
  turnBegins: 'Ein Zug beginnt',
  idOf: 'Oder die Kennung einer Stellung',
  less: '{0}: weniger',
  moreOf: '{0}: mehr',
  thatCost: 'Das kostete {0}: {1} war am besten.',
  history: 'Was geschah',
  languageIs: 'Sprache',
  solving: 'Deine Regeln werden gelöst: {0} %',
  houseRules: 'Hausregeln',
  solveThem: 'Mit diesen Regeln lösen',
  asShipped: 'Zurück zu den Regeln dieser Seite',
  unreadable: 'Das gespeicherte Spiel lässt sich nicht öffnen',
  unreadableText:
    'Es bleibt gespeichert, bis du entscheidest. Sichere es als Datei oder fang neu an: Es steht dann unter Mehr, Frühere Spiele.',
  afresh: 'Neu anfangen',
  saveStored: 'Das gespeicherte Spiel als Datei sichern',
  earlier: 'Frühere Spiele',
  earlierText:
    'Spiele, an deren Stelle ein anderes trat, das neueste zuerst; bis zu {0} bleiben gespeichert.',
  earlierGame: '{0} Zeilen; die letzte: {1}',
  resume: 'Dieses Spiel fortsetzen',
  saveEarlier: 'Als Datei sichern',
  remove: 'Löschen',
  setAside: 'Das Spiel davor bleibt gespeichert: unter Mehr, Frühere Spiele.',
  backToEarlier: 'Zurück zum Spiel davor',
  notStored:
    'Dieser Browser hat keinen Platz für dieses Spiel: Sichere es als Datei, bevor du die Seite schließt.',
  openLink: 'Die Stellung dieses Links öffnen?',
  openIt: 'Öffnen',
  stay: 'Hier bleiben',
  linkRules: 'Der Link hat andere Regeln: {0}. Sie zu lösen dauert einige Sekunden.',
  linkOwnRules: 'Der Link hat die Regeln dieser Seite, und du spielst mit Hausregeln.',
  linkGame: 'Das laufende Spiel bleibt gespeichert: unter Mehr, Frühere Spiele.',
  linkOtherGame:
    'Das laufende Spiel bleibt mit seinen Regeln gespeichert: Geh zu ihnen zurück, um es fortzusetzen.',
  changedRules: 'Hausregeln: {0}.',
  insteadOf: '{0} {1} statt {2}',
  yes: 'ja',
  no: 'nein',
  eventsShown: 'Die letzten {0} von {1} Ereignissen',
};

const french: Words = {
  language: 'Français',
  play: 'Jeu',
  setup: 'Position',
  review: 'Bilan',
  practice: 'Exercice',
  more: 'Plus',
  undo: 'Annuler',
  redo: 'Refaire',
  yourTurn: 'À {0} de jouer',
  throwNow: '{0} : {1}. Qu’est-ce qui est tombé ?',
  chooseNow: '{0} : que faites-vous ?',
  turnHolds: 'tour {0}',
  othersTurn: '{0} : qu’a rapporté le tour ?',
  throwByThrow: 'Saisir lancer par lancer',
  wholeTurn: 'Saisir le tour entier',
  other: 'Autre',
  enter: 'Valider',
  addFace: 'ajouter {0}',
  removeDie: 'retirer {0}',
  dice: 'Dés tombés',
  faces: 'Faces',
  missing: 'encore {0}',
  choices: 'Choix, le meilleur d’abord',
  best: 'le meilleur',
  costs: 'coûte {0}',
  moreChoices: 'Montrer les {0} choix',
  over: 'La partie est finie.',
  wins: 'Victoire : {0}.',
  shared: '{0} se partagent la victoire.',
  scored: '{0} : {1}',
  toWin: '{0} de gagner',
  whatFell: '{0} : {1}',
  busting: ', {0} dans {1} des cas',
  justAsGood: ' ; aussi bon : {0}',
  nextBest: ' ; ensuite {0}, coûte {1}',
  mixed: 'Deux tours sont mêlés : {0} du temps {1}, et {2} du temps {3}.',
  mixedHere: 'Deux tours sont mêlés à partir d’ici, l’un {0} du temps, l’autre {1}.',
  newGame: 'Nouvelle partie',
  seatOf: 'Place {0}',
  advised: 'conseillé',
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
  sheet: 'Feuille à imprimer',
  print: 'Imprimer',
  back: 'Retour',
  rules: 'Règles de cette page',
  usual: 'habituel',
  different: 'différent',
  about: 'À propos',
  aboutText:
    'Conseil exact, calculé dans cette page : rien n’est envoyé. Aucune valeur n’est à plus de {0} de la vraie.',
  regret: 'À trois et plus, personne ne gagne plus de {0} en quittant ce jeu.',
  questionIs: 'Question {0}, empreinte {1}, {2}.',
  noStorage: 'Ce navigateur ne garde rien pour cette page : enregistrez la partie avant de la fermer.',
  noWasm:
    'Ce navigateur n’a pas WebAssembly : pas de conseil ici ; les règles et la feuille restent lisibles.',
  failed: 'Quelque chose a échoué : {0}',
  reviewOver: 'La partie est finie.',
  reviewOpen: 'La partie n’est pas finie : son résultat est ce qu’elle vaut.',
  nothingYet: 'Rien n’a encore été joué.',
  start: 'départ',
  luck: 'chance',
  errors: 'erreurs',
  others: 'autres',
  outcome: 'résultat',
  perChoice: 'par choix',
  none: 'aucun',
  meaning:
    'résultat = départ + chance de tous les lancers + erreurs propres + ce que les erreurs des autres ont apporté ; la chance se mesure au meilleur jeu à partir de là.',
  short: '{0} : {1} décisions sur {2} ont coûté, {3} en tout{4} ; sans la chance {5}.',
  nothingDecided: '{0} : rien n’a été décidé.',
  costliest: 'Les décisions les plus chères',
  mistake: '{0}, {1} : {2} a coûté {3} ; le mieux était {4}.',
  event: 'événement {0}',
  through: 'La partie, événement par événement',
  chart: 'Chance de gagner de {0} au fil de la partie',
  chartPlain: 'Valeur pour {0} au fil de la partie',
  rollForMe: 'Lancer les dés',
  practiceText: 'La page lance les dés. Choisissez d’abord : le coût est dit ensuite.',
  against: 'Jouer contre la page',
  quiz: 'Quiz',
  quizText: 'Des positions où le choix compte. Que feriez-vous ?',
  next: 'Suivant',
  right: 'Juste : {0}.',
  wrong: 'Cela coûte {0} : le mieux était {1}.',
  tally: '{0} justes sur {1} ; {2} perdu en tout.',
  stop: 'Arrêter',
  position: 'Position',
  apply: 'Y aller',
  pointsInHand: 'Points en main',
  toThrow: 'Avant le lancer',
  turnBegins: 'Un tour commence',
  idOf: 'Ou l’identifiant d’une position',
  less: '{0} : moins',
  moreOf: '{0} : plus',
  thatCost: 'Cela a coûté {0} : le mieux était {1}.',
  history: 'Ce qui s’est passé',
  languageIs: 'Langue',
  solving: 'Vos règles sont résolues : {0} %',
  houseRules: 'Règles de la maison',
  solveThem: 'Résoudre avec ces règles',
  asShipped: 'Revenir aux règles de cette page',
  unreadable: 'La partie conservée ne peut pas être ouverte',
  unreadableText:
    'Elle reste conservée jusqu’à votre décision. Enregistrez-la, ou recommencez : elle figure alors sous Plus, Parties précédentes.',
  afresh: 'Recommencer',
  saveStored: 'Enregistrer la partie conservée',
  earlier: 'Parties précédentes',
  earlierText: 'Parties remplacées par une autre, la plus récente d’abord ; {0} au plus sont conservées.',
  earlierGame: '{0} lignes ; la dernière : {1}',
  resume: 'Reprendre cette partie',
  saveEarlier: 'L’enregistrer',
  remove: 'La supprimer',
  setAside: 'La partie d’avant est conservée : voir Plus, Parties précédentes.',
  backToEarlier: 'Revenir à la partie d’avant',
  notStored:
    'Ce navigateur n’a pas la place de conserver cette partie : enregistrez-la avant de fermer la page.',
  openLink: 'Ouvrir la position de ce lien ?',
  openIt: 'L’ouvrir',
  stay: 'Rester ici',
  linkRules: 'Le lien a d’autres règles : {0}. Les résoudre prend quelques secondes.',
  linkOwnRules: 'Le lien a les règles de cette page, et vous jouez avec des règles de la maison.',
  linkGame: 'La partie en cours est conservée sous Plus, Parties précédentes.',
  linkOtherGame: 'La partie en cours est conservée avec ses règles : revenez-y pour la reprendre.',
  changedRules: 'Règles de la maison : {0}.',
  insteadOf: '{0} {1} au lieu de {2}',
  yes: 'oui',
  no: 'non',
  eventsShown: 'Les {0} derniers événements sur {1}',
};

export const LANGUAGES: Record<string, Words> = { en: english, de: german, fr: french };

const CHOICE_TEXTS: Record<string, ChoiceText> = { en: ENGLISH, de: GERMAN, fr: FRENCH };

const UNITS: Record<string, Units> = {
  en: ENGLISH_UNITS,
  de: {
    over: 'über {0}',
    below: 'unter {0}',
    win: '{0} zu gewinnen',
    reach: '{0} anzukommen',
    margin: '{0} Punkte Vorsprung',
    points: '{0} Punkte',
    turns: '{0} Züge',
    chips: '{0} Chips',
  },
  fr: {
    over: 'plus de {0}',
    below: 'moins de {0}',
    win: '{0} de gagner',
    reach: '{0} d’y arriver',
    margin: '{0} points d’écart',
    points: '{0} points',
    turns: '{0} tours',
    chips: '{0} jetons',
  },
};

/** Words of the engine for results, grades and kinds of errors. */
const SAID: Record<string, Record<string, string>> = {
  de: {
    busts: 'Fehlwurf',
    busting: 'Fehlwurf',
    wipes: 'löscht alles',
    'wiping the score': 'löscht alles',
    trips: 'löst aus',
    tripping: 'löst aus',
    bust: 'Fehlwurf',
    win: 'gewonnen',
    wipe: 'alles gelöscht',
    flawless: 'fehlerlos',
    expert: 'meisterlich',
    advanced: 'stark',
    good: 'gut',
    fair: 'ordentlich',
    casual: 'locker',
    'by guess': 'geraten',
    'stopping too early': 'zu früh aufgehört',
    'stopping too late': 'zu spät aufgehört',
    keeping: 'Behalten',
    choosing: 'Wahl',
    category: 'Feld',
  },
  fr: {
    busts: 'perd',
    busting: 'perdu',
    wipes: 'efface',
    'wiping the score': 'efface',
    trips: 'déclenche',
    tripping: 'déclenche',
    bust: 'perdu',
    win: 'gagné',
    wipe: 'effacé',
    flawless: 'sans faute',
    expert: 'expert',
    advanced: 'avancé',
    good: 'bon',
    fair: 'correct',
    casual: 'détendu',
    'by guess': 'au hasard',
    'stopping too early': 'arrêt trop tôt',
    'stopping too late': 'arrêt trop tard',
    keeping: 'dés gardés',
    choosing: 'choix',
    category: 'case',
  },
};

let current = 'en';

export function setLanguage(language: string): void {
  current = language in LANGUAGES ? language : 'en';
}

export function language(): string {
  return current;
}

/** A phrase, with what stands in it. */
export function say(key: keyof Words, ...parts: (string | number)[]): string {
  return LANGUAGES[current][key].replace(/\{(\d)\}/g, (_, n) => String(parts[Number(n)]));
}

/** A word of the engine's own, where the language has one. */
export function said(word: string): string {
  return SAID[current]?.[word] ?? word;
}

/** What happened in a step of a game, in this language. */
export function stepText({ choice, said: told }: Step): string {
  return choice ? choiceText(choice) : local(said(told));
}

/** Numbers as the language writes them. */
export function local(text: string): string {
  if (current === 'en') return text;
  const thousands = current === 'de' ? '.' : '\u202f';
  return text.replace(/\d[\d,]*(\.\d+)?/g, (number) =>
    number.replace(/,|\./g, (mark) => (mark === ',' ? thousands : ',')),
  );
}

/** A choice, in this language. */
export function choiceText(act: Act): string {
  return local(formatChoice(act, CHOICE_TEXTS[current]));
}

export function percent(chance: number): string {
  return local(plainPercent(chance, UNITS[current]));
}

export function worth(value: number, objective: string): string {
  return local(plainWorth(value, objective, UNITS[current]));
}

export function cost(loss: number, objective: string): string {
  return local(plainCost(loss, objective, UNITS[current]));
}

/** The units of this language; bare, no unit but the percent sign. */
function unitsOf(bare: boolean): Units {
  return bare
    ? { ...UNITS[current], margin: '{0}', points: '{0}', turns: '{0}', chips: '{0}' }
    : UNITS[current];
}

/** A sum of luck or errors with its sign, without its unit. */
export function signed(amount: number, objective: string): string {
  return local(plainSigned(amount, objective, unitsOf(true)));
}

/** A value without "to win"; bare, also without its unit. */
export function plain(value: number, objective: string, bare = false): string {
  return local(plainValue(value, objective, unitsOf(bare)));
}
