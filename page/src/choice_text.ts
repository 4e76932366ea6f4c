/** Choices in words: one formatter for each language, from the kind and the data of a choice. */
import type { Act, ChoiceData, ChoiceKind, Size } from './choices';
import { grouped } from './numbers';

type DataOf<T extends ChoiceData['type']> = Extract<ChoiceData, { type: T }>;

/** Writes choices of one language: a method for each type of data. */
export type ChoiceText = {
  [T in ChoiceData['type']]: (data: DataOf<T>, kind: ChoiceKind, keep: string[]) => string;
};

export function formatChoice({ kind, data, keep }: Act, text: ChoiceText): string {
  return (text[data.type] as (data: ChoiceData, kind: ChoiceKind, keep: string[]) => string)(
    data,
    kind,
    keep,
  );
}

/** Return dice as text: one after another, or the number of each if their faces are names. */
function formatDice(dice: string[], isCounted = false): string {
  if (!isCounted) return dice.join(' ');
  return [...new Set(dice)].map((face) => `${dice.filter((die) => die === face).length} ${face}`).join(' ');
}

/** Return dice as text, with the name of their set in the language of `names`. */
function nameDice(
  dice: string[],
  data: { name?: string; is_counted?: boolean },
  names: Record<string, string> = {},
): string {
  return `${formatDice(dice, data.is_counted)}${data.name ? ` (${translateName(data.name, names)})` : ''}`;
}

function formatKinds(kinds: string[] | undefined): string {
  if (!kinds?.length) return '';
  const counts = [...new Set(kinds)].map((name) => `${kinds.filter((kind) => kind === name).length} ${name}`);
  return ` (${counts.join(', ')})`;
}

const countPoints = (points: number) => `${points} ${points === 1 ? 'point' : 'points'}`;

const countDice = (count = 0, word = 'die') =>
  count === 1 ? `1 ${word}` : `${count} ${word.replace(/die$/, 'dice')}`;

function englishBust({ cost = 0, number = 0, spared = 0 }: DataOf<'TurnLoss'>): string {
  const words = cost ? `and costs ${grouped(cost)} points` : 'without points';
  return words + (number > 1 ? `, ${number} busts in a row` : '') + sparedText(cost, spared, ENGLISH_SPARED);
}

/** Return in brackets, in words with {0} for the full cost, why a bust costs less; "" if it does not. */
function sparedText(cost: number, spared: number, words: string): string {
  return spared ? ` (${words.replace('{0}', grouped(cost + spared))})` : '';
}

const ENGLISH_SPARED = 'the cost is {0}, but the score can go no lower';
const GERMAN_SPARED = 'die Strafe ist {0}, aber tiefer kann der Punktestand nicht sinken';
const FRENCH_SPARED = 'la pénalité est de {0}, mais le score ne peut pas descendre plus bas';

/** The same words as the command line's (solver/play/choice_text.py): game files hold them. */
export const ENGLISH: ChoiceText = {
  TurnStop(data, kind, keep) {
    const intro = keep.length ? `keep ${nameDice(keep, data)}, ` : '';
    return intro + (kind === 'bank' ? `bank ${grouped(data.points)}` : 'stop and score nothing');
  },
  TurnRoll(data, _, keep) {
    const intro = keep.length ? `keep ${nameDice(keep, data)}, ` : '';
    const suffix = data.thrown_over?.length ? `, ${data.thrown_over.join(' and ')} rolled again` : '';
    return `${intro}roll ${countDice(data.dice, data.is_fresh ? 'fresh die' : 'die')}${formatKinds(data.dice_kinds)}${suffix}`;
  },
  TurnLoss(data, kind) {
    if (kind === 'win') return 'this roll wins the game at once';
    if (kind === 'wipe') return 'this roll loses the whole score';
    return `${data.is_special ? 'this roll ends the turn' : 'bust: the turn ends'} ${englishBust(data)}`;
  },
  FrameChoice(data, kind) {
    if (kind === 'win') return 'Big Scarney wins the game at once';
    if (kind === 'bust') return 'crapped out: the frame scores nothing';
    let intro = data.is_dead_roll ? 'dead roll, ' : '';
    if (data.rolled_points !== undefined) intro = `holding ${data.rolled_points}, `;
    if (kind === 'bank') return `${intro}stop: enter ${data.points ?? 0}`;
    const verb = kind === 'hit' ? 'hit with' : kind === 'double' ? 'double down with' : 'roll';
    return `${intro}${verb} ${countDice(data.dice)}`;
  },
  CardDice(data, kind, keep) {
    if (kind === 'keep') return `keep all: ${keep.join(' ')}`;
    return keep.length
      ? `keep ${keep.join(' ')}, roll ${countDice(data.dice)}`
      : `roll all ${data.dice} dice again`;
  },
  CardThrow: (data) => `roll ${data.is_all ? 'all ' : ''}${countDice(data.dice)}`,
  BoxEntries({ entries }) {
    if (entries.length === 1) return `enter ${entries[0].points} in ${entries[0].box}`;
    return entries.map((entry) => `${entry.box} ${entry.points} (${entry.dice.join(' ')})`).join(' and ');
  },
  DieSetAside: (data) => `set aside ${data.die}, roll ${countDice(data.dice)}`,
  LastDie: (data) => `the last die is ${data.die}: total ${data.total}`,
  TrioCast: (data) =>
    data.set_aside.length
      ? `set aside ${data.set_aside.join(' ')}, roll ${data.dice} dice`
      : 'roll all five dice again',
  CrewChoice(data, kind) {
    if (kind === 'bank') return `stop and score ${data.points ?? 0}`;
    if (kind === 'bust') return '6, 5 and 4 did not all come: the round scores nothing';
    if (data.recast === undefined) return 'roll both crew dice again';
    return data.kept === data.recast
      ? `keep one ${data.kept}, roll the other again`
      : `keep the ${data.kept}, roll the ${data.recast} again`;
  },
  TileChoice(data, kind) {
    if (kind === 'roll') return `roll ${data.dice === 1 ? 'one die' : 'two dice'}`;
    if (kind === 'shut') return `shut ${data.tiles!.join(' ')}${data.is_last ? ', the last' : ''}`;
    return `end the turn with ${data.points ?? 0} left`;
  },
  HeartsScore: (data, kind) =>
    kind === 'wipe' ? 'lose the whole score' : `score ${data.points || 'nothing'}`,
  PieceChoice(data, kind) {
    if (kind === 'touch') return `touch a ${data.size} piece`;
    if (kind === 'take') return 'take the piece';
    if (kind === 'pass') return 'pass';
    if (kind === 'score')
      return data.points === undefined ? 'the bar holds' : `the bar holds: ${countPoints(data.points)}`;
    return data.points === undefined ? 'the bar trips' : `the bar trips: ${countPoints(data.points)} lost`;
  },
  PieceFeel: (data) => `feel the ${data.size} piece`,
  CrewRoll: (data) => `roll ${data.dice === 5 ? 'all five dice' : countDice(data.dice)}`,
  DiceRoll: (data) => (data.dice === 6 ? 'roll all six dice' : 'roll the dice'),
};

/** Return the name of a set or box in another language; a number after the name stays, as in "fours 2" or "fours x2". */
export function translateName(name: string, names: Record<string, string>): string {
  const [, plainName, column] = /^(.*?)( x?\d+)?$/.exec(name)!;
  return plainName in names ? names[plainName] + (column ?? '') : name;
}

export const GERMAN_NAMES: Record<string, string> = {
  ones: 'Einser',
  aces: 'Einser',
  twos: 'Zweier',
  threes: 'Dreier',
  fours: 'Vierer',
  fives: 'Fünfer',
  sixes: 'Sechser',
  'one pair': 'ein Paar',
  'two pairs': 'zwei Paare',
  'three pairs': 'drei Paare',
  'three alike': 'drei Gleiche',
  'three of a kind': 'Dreierpasch',
  'four of a kind': 'Viererpasch',
  'five of a kind': 'Fünferpasch',
  'full house': 'Full House',
  straight: 'Straße',
  'small straight': 'kleine Straße',
  'little straight': 'kleine Straße',
  'large straight': 'große Straße',
  'big straight': 'große Straße',
  'full straight': 'ganze Straße',
  'low straight': 'niedrige Straße',
  'high straight': 'hohe Straße',
  'odd straight': 'ungerade Straße',
  'even straight': 'gerade Straße',
  thirteen: 'Dreizehn',
  tower: 'Turm',
  villa: 'Villa',
  poker: 'Poker',
  chance: 'Chance',
  choice: 'freie Wahl',
  yahtzee: 'Yahtzee',
  kniffel: 'Kniffel',
  yatzy: 'Yatzy',
  'large cameroon': 'Großes Kamerun',
  'little cameroon': 'Kleines Kamerun',
  'big hand': 'Große Hand',
  flush: 'Flush',
  'two pairs of one colour': 'zwei Paare in einer Farbe',
  'full house of one colour': 'Full House in einer Farbe',
  'run of six': 'Straße',
  'two triplets': 'zwei Drillinge',
  'four alike and a pair': 'Vierling und Paar',
  'no scoring dice': 'Niete',
  'flash with the sun': 'Drilling mit der Sonne',
  'freight train of sixes': 'fünf Sechsen',
  supernova: 'Supernova',
  'mini bunco': 'kleiner Bunco',
  'no 2 and no 5': 'ohne 2 und ohne 5',
  'two threes': 'zwei Dreien',
  seven: 'Sieben',
  'double skunk': 'doppelter Skunk',
  plain: 'gewöhnlich',
  lucky: 'Glückswürfel',
  white: 'weiß',
  black: 'schwarz',
};

export const FRENCH_NAMES: Record<string, string> = {
  ones: 'as',
  aces: 'as',
  twos: 'deux',
  threes: 'trois',
  fours: 'quatre',
  fives: 'cinq',
  sixes: 'six',
  'one pair': 'une paire',
  'two pairs': 'deux paires',
  'three pairs': 'trois paires',
  'three alike': 'trois identiques',
  'three of a kind': 'brelan',
  'four of a kind': 'carré',
  'five of a kind': 'cinq identiques',
  'full house': 'full',
  straight: 'suite',
  'small straight': 'petite suite',
  'little straight': 'petite suite',
  'large straight': 'grande suite',
  'big straight': 'grande suite',
  'full straight': 'suite complète',
  'low straight': 'suite basse',
  'high straight': 'suite haute',
  'odd straight': 'suite impaire',
  'even straight': 'suite paire',
  thirteen: 'treize',
  tower: 'tour',
  choice: 'choix libre',
  'large cameroon': 'grand Cameroun',
  'little cameroon': 'petit Cameroun',
  'big hand': 'grande main',
  flush: 'couleur',
  'two pairs of one colour': 'deux paires d’une seule couleur',
  'full house of one colour': 'full d’une seule couleur',
  'run of six': 'suite',
  'two triplets': 'deux brelans',
  'four alike and a pair': 'carré et paire',
  'no scoring dice': 'aucun dé qui marque',
  'flash with the sun': 'brelan avec le soleil',
  'freight train of sixes': 'cinq 6',
  supernova: 'supernova',
  'mini bunco': 'petit bunco',
  'no 2 and no 5': 'ni 2 ni 5',
  'two threes': 'deux 3',
  seven: 'sept',
  'double skunk': 'double skunk',
  plain: 'ordinaire',
  lucky: 'porte-bonheur',
  white: 'blanc',
  black: 'noir',
};

const FELD = (box: string) => translateName(box, GERMAN_NAMES);
const CASE = (box: string) => translateName(box, FRENCH_NAMES);
const WUERFEL = (count = 0) => `${count} Würfel`;
const PUNKTE = (count = 0) => (count === 1 ? '1 Punkt' : `${count} Punkte`);
const GROESSE: Record<Size, string> = { large: 'großes', medium: 'mittleres', small: 'kleines' };

export const GERMAN: ChoiceText = {
  TurnStop(data, kind, keep) {
    const intro = keep.length ? `${nameDice(keep, data, GERMAN_NAMES)} behalten, ` : '';
    return intro + (kind === 'bank' ? `${grouped(data.points)} sichern` : 'aufhören ohne Punkte');
  },
  TurnRoll(data, _, keep) {
    const intro = keep.length ? `${nameDice(keep, data, GERMAN_NAMES)} behalten, ` : '';
    const suffix = data.thrown_over?.length ? `, ${data.thrown_over.join(' und ')} noch einmal` : '';
    const action = data.is_fresh ? `alle ${WUERFEL(data.dice)} neu` : WUERFEL(data.dice);
    return `${intro}${action}${formatKinds(data.dice_kinds)} werfen${suffix}`;
  },
  TurnLoss(data, kind) {
    if (kind === 'win') return 'dieser Wurf gewinnt sofort';
    if (kind === 'wipe') return 'dieser Wurf löscht alle Punkte';
    const cost = data.cost ? `und kostet ${grouped(data.cost)} Punkte` : 'ohne Punkte';
    const row = data.number ? `, der ${data.number}. in Folge` : '';
    return `${data.is_special ? 'Dieser Wurf beendet den Zug' : 'Fehlwurf: Der Zug endet'} ${cost}${row}${sparedText(data.cost ?? 0, data.spared ?? 0, GERMAN_SPARED)}`;
  },
  FrameChoice(data, kind) {
    if (kind === 'win') return 'Big Scarney gewinnt sofort';
    if (kind === 'bust') return 'alles verloren: Der Durchgang bringt nichts';
    let intro = data.is_dead_roll ? 'toter Wurf, ' : '';
    if (data.rolled_points !== undefined)
      intro = `bei ${data.rolled_points} ${data.rolled_points === 1 ? 'Punkt' : 'Punkten'} `;
    if (kind === 'bank') return `${intro}aufhören: ${data.points ?? 0} eintragen`;
    if (kind === 'double')
      return `${intro}mit ${data.dice === 1 ? '1 Würfel' : `${data.dice} Würfeln`} verdoppeln`;
    return `${intro}${WUERFEL(data.dice)} ${kind === 'hit' ? 'noch einmal ' : ''}werfen`;
  },
  CardDice(data, kind, keep) {
    if (kind === 'keep') return `alle behalten: ${keep.join(' ')}`;
    if (!keep.length) return `alle ${data.dice} Würfel noch einmal werfen`;
    return `${keep.join(' ')} behalten, ${WUERFEL(data.dice)} werfen`;
  },
  CardThrow: (data) => `${data.is_all ? 'alle ' : ''}${WUERFEL(data.dice)} werfen`,
  BoxEntries({ entries }) {
    if (entries.length === 1) return `${entries[0].points} im Feld ${FELD(entries[0].box)} eintragen`;
    return entries
      .map((entry) => `${FELD(entry.box)} ${entry.points} (${entry.dice.join(' ')})`)
      .join(' und ');
  },
  DieSetAside: (data) => `${data.die} beiseite, ${WUERFEL(data.dice)} werfen`,
  LastDie: (data) => `der letzte Würfel zeigt ${data.die}: zusammen ${data.total}`,
  TrioCast: (data) =>
    data.set_aside.length
      ? `${data.set_aside.join(' ')} beiseite, ${WUERFEL(data.dice)} werfen`
      : 'alle fünf Würfel noch einmal werfen',
  CrewChoice(data, kind) {
    if (kind === 'bank') return `aufhören: ${data.points ?? 0} Punkte`;
    if (kind === 'bust') return '6, 5 und 4 sind nicht alle gefallen: Die Runde bringt nichts';
    if (data.recast === undefined) return 'beide Mannschaftswürfel noch einmal werfen';
    return data.kept === data.recast
      ? `eine ${data.kept} behalten, die andere noch einmal werfen`
      : `die ${data.kept} behalten, die ${data.recast} noch einmal werfen`;
  },
  TileChoice(data, kind) {
    if (kind === 'roll') return data.dice === 1 ? 'mit einem Würfel werfen' : 'mit zwei Würfeln werfen';
    if (kind === 'shut')
      return `${data.tiles!.join(' ')} umklappen${data.is_last ? (data.tiles!.length > 1 ? ', die letzten' : ', die letzte') : ''}`;
    return `den Zug mit ${data.points ?? 0} Rest${data.points === 1 ? 'punkt' : 'punkten'} beenden`;
  },
  HeartsScore: (data, kind) =>
    kind === 'wipe' ? 'alle Punkte verlieren' : data.points ? `${data.points} Punkte` : 'keine Punkte',
  PieceChoice(data, kind) {
    if (kind === 'touch') return `ein ${GROESSE[data.size!]} Stück berühren`;
    if (kind === 'take') return 'das Stück nehmen';
    if (kind === 'pass') return 'passen';
    if (kind === 'score')
      return `der Bügel hält${data.points === undefined ? '' : `: ${PUNKTE(data.points)}`}`;
    return `der Bügel schnappt zu${data.points === undefined ? '' : `: ${PUNKTE(data.points)} Abzug`}`;
  },
  PieceFeel: (data) => `fühlen, wie fest das ${GROESSE[data.size].slice(0, -1)} Stück sitzt`,
  CrewRoll: (data) => (data.dice === 5 ? 'alle fünf Würfel werfen' : `${WUERFEL(data.dice)} werfen`),
  DiceRoll: (data) => (data.dice === 6 ? 'alle sechs Würfel werfen' : 'würfeln'),
};

const DES = (count = 0) => (count === 1 ? '1 dé' : `${count} dés`);
const POINTS = (count = 0) => `${count} ${count < 2 ? 'point' : 'points'}`;
const PIECE: Record<Size, string> = {
  large: 'grande pièce',
  medium: 'pièce moyenne',
  small: 'petite pièce',
};

export const FRENCH: ChoiceText = {
  TurnStop(data, kind, keep) {
    const intro = keep.length ? `garder ${nameDice(keep, data, FRENCH_NAMES)}, ` : '';
    return intro + (kind === 'bank' ? `encaisser ${grouped(data.points)}` : 's’arrêter sans points');
  },
  TurnRoll(data, _, keep) {
    const intro = keep.length ? `garder ${nameDice(keep, data, FRENCH_NAMES)}, ` : '';
    const suffix = data.thrown_over?.length ? `, ${data.thrown_over.join(' et ')} relancés` : '';
    const action = data.is_fresh ? `relancer les ${DES(data.dice)}` : `lancer ${DES(data.dice)}`;
    return `${intro}${action}${formatKinds(data.dice_kinds)}${suffix}`;
  },
  TurnLoss(data, kind) {
    if (kind === 'win') return 'ce lancer gagne aussitôt';
    if (kind === 'wipe') return 'ce lancer efface tous les points';
    const cost = data.cost ? `et coûte ${grouped(data.cost)} points` : 'sans points';
    const row = data.number ? `, le ${data.number}${data.number === 1 ? 'er' : 'e'} de suite` : '';
    return `${data.is_special ? 'ce lancer finit le tour' : 'perdu : le tour finit'} ${cost}${row}${sparedText(data.cost ?? 0, data.spared ?? 0, FRENCH_SPARED)}`;
  },
  FrameChoice(data, kind) {
    if (kind === 'win') return 'Big Scarney gagne aussitôt';
    if (kind === 'bust') return 'tout est perdu : la manche ne rapporte rien';
    let intro = data.is_dead_roll ? 'lancer mort, ' : '';
    if (data.rolled_points !== undefined) intro = `avec ${POINTS(data.rolled_points)}, `;
    if (kind === 'bank') return `${intro}s’arrêter : inscrire ${data.points ?? 0}`;
    const verb = kind === 'hit' ? 'relancer' : kind === 'double' ? 'doubler avec' : 'lancer';
    return `${intro}${verb} ${DES(data.dice)}`;
  },
  CardDice(data, kind, keep) {
    if (kind === 'keep') return `tout garder : ${keep.join(' ')}`;
    return keep.length
      ? `garder ${keep.join(' ')}, lancer ${DES(data.dice)}`
      : `relancer les ${DES(data.dice)}`;
  },
  CardThrow: (data) => `lancer ${data.is_all ? 'les ' : ''}${DES(data.dice)}`,
  BoxEntries({ entries }) {
    if (entries.length === 1) return `inscrire ${entries[0].points} dans la case ${CASE(entries[0].box)}`;
    return entries
      .map((entry) => `${CASE(entry.box)} ${entry.points} (${entry.dice.join(' ')})`)
      .join(' et ');
  },
  DieSetAside: (data) => `mettre ${data.die} de côté, lancer ${DES(data.dice)}`,
  LastDie: (data) => `le dernier dé montre ${data.die} : total ${data.total}`,
  TrioCast: (data) =>
    data.set_aside.length
      ? `mettre ${data.set_aside.join(' ')} de côté, lancer ${DES(data.dice)}`
      : 'relancer les cinq dés',
  CrewChoice(data, kind) {
    if (kind === 'bank') return `s’arrêter : ${POINTS(data.points)}`;
    if (kind === 'bust') return '6, 5 et 4 ne sont pas tous sortis : rien pour cette manche';
    if (data.recast === undefined) return 'relancer les deux dés d’équipage';
    return data.kept === data.recast
      ? `garder un ${data.kept}, relancer l’autre`
      : `garder le ${data.kept}, relancer le ${data.recast}`;
  },
  TileChoice(data, kind) {
    if (kind === 'roll') return data.dice === 1 ? 'lancer un dé' : 'lancer deux dés';
    if (kind === 'shut')
      return `fermer ${data.tiles!.join(' ')}${data.is_last ? (data.tiles!.length > 1 ? ', les derniers' : ', le dernier') : ''}`;
    return `finir le tour avec ${POINTS(data.points)}`;
  },
  HeartsScore: (data, kind) =>
    kind === 'wipe' ? 'perdre tous les points' : data.points ? `${data.points} points` : 'aucun point',
  PieceChoice(data, kind) {
    if (kind === 'touch') return `toucher une ${PIECE[data.size!]}`;
    if (kind === 'take') return 'prendre la pièce';
    if (kind === 'pass') return 'passer';
    if (kind === 'score')
      return `la barre tient${data.points === undefined ? '' : ` : ${POINTS(data.points)}`}`;
    return `la barre se déclenche${data.points === undefined ? '' : ` : ${POINTS(data.points)} ${data.points === 1 ? 'perdu' : 'perdus'}`}`;
  },
  PieceFeel: (data) => `sentir si la ${PIECE[data.size]} est serrée`,
  CrewRoll: (data) => (data.dice === 5 ? 'lancer les cinq dés' : `lancer ${DES(data.dice)}`),
  DiceRoll: (data) => (data.dice === 6 ? 'lancer les six dés' : 'lancer les dés'),
};
