/** The engine of a page: the playable game, and answers about it. */
import { Answers, PushEvaluator } from './answers';
import { BeatSolver } from './card_beat';
import { CardEvaluator } from './card_evaluator';
import type { Scorecard } from './card_facts';
import { CardProblem } from './card_problem';
import { CardTable } from './card_table';
import type { Arrays, PageData } from './data';
import { type BuiltHands, buildHands, HandTable } from './hands';
import { HeartsProblem } from './hearts';
import { PushKernel } from './kernel';
import type { Problem } from './problem';
import { Game } from './game';
import { GraphTable, type Position } from './play';
import { PotProblem } from './pot';
import { PushProblem } from './push';
import { review } from './review';
import { formatValue } from './numbers';
import { RoundsProblem } from './rounds';
import { ScarneyProblem } from './scarney';
import { SumTable } from './sums';
import { TilesProblem } from './tiles';
import { TouchEvaluator, TouchProblem } from './touch';

export interface Engine {
  data: PageData;
  arrays: Arrays;
  answers: Answers;
  /** Solves turns against an opponent who plays for points; only on pages of cards that have this objective. */
  beat?: BeatSolver;
}

/** The compiled kernels, with vector instructions where the browser has them. */
function instantiate(arrays: Arrays): WebAssembly.Instance {
  let module: WebAssembly.Module;
  try {
    module = new WebAssembly.Module(arrays.bytes('wasm.simd'));
  } catch {
    module = new WebAssembly.Module(arrays.bytes('wasm.plain'));
  }
  return new WebAssembly.Instance(module);
}

/** Return the engine of a page, whose hands may be built already. */
export function engine(data: PageData, arrays: Arrays, built: BuiltHands | null = null): Engine {
  const families: Record<string, new (data: PageData, arrays: Arrays) => Problem> = {
    push: PushProblem,
    unlike: PushProblem,
    ...(ONLY_RACES
      ? {}
      : {
          rounds: RoundsProblem,
          pot: PotProblem,
          hearts: HeartsProblem,
          scarney: ScarneyProblem,
          tiles: TilesProblem,
        }),
  };
  if (WITH_CARDS && data.family === 'card') {
    const table = new CardTable(data, new CardProblem(data), arrays);
    const evaluator = new CardEvaluator(table, instantiate(arrays), arrays);
    const beat = data.beat
      ? new BeatSolver(data, table, evaluator, arrays, () => instantiate(arrays))
      : undefined;
    return { data, arrays, answers: new Answers(data, table, evaluator), beat };
  }
  if (!ONLY_RACES && data.family === 'touch') {
    const problem = new TouchProblem(data);
    const evaluator = new TouchEvaluator(data, problem, instantiate(arrays), arrays);
    return { data, arrays, answers: new Answers(data, new GraphTable(data, problem), evaluator) };
  }
  const hands = WITH_HANDS ? (built ?? (data.dice ? buildHands(data, arrays) : null)) : null;
  ({ data, arrays } = hands ?? { data, arrays });
  const problem = new families[data.family](data, arrays);
  const graphTable = () =>
    WITH_HANDS && data.graph.sums ? new SumTable(data, problem) : new GraphTable(data, problem);
  const table = WITH_HANDS && hands ? new HandTable(data, problem, hands.hands) : graphTable();
  const kernel = (turn: Record<string, number>, name: string) =>
    new PushKernel(instantiate(arrays), turn, arrays, name);
  const kernels = data.turns
    ? data.turns.map((turn, seat) => kernel(turn, `turn${seat + 1}`))
    : data.turn
      ? [kernel(data.turn, 'turn')]
      : [];
  return { data, arrays, answers: new Answers(data, table, new PushEvaluator(data, table, kernels)) };
}

/** The answers in the form of the command line's JSON, for tests and other pages. */
export function adviceJson({ data, answers }: Pick<Engine, 'data' | 'answers'>, id: string): unknown {
  const p: Position = answers.table.position(id);
  if (p.at === 'over') throw new Error('the game is over');
  const advice = answers.advise(p);
  const mover = answers.table.mover(p);
  const values = answers.values(p);
  const seats = values.map((_, n) => values[(mover + n) % values.length]);
  return {
    id: answers.table.id(p),
    value: seats[0],
    seats,
    explain: answers.explain(advice),
    choices: advice.choices.map((option) => ({
      action: option.action,
      keep: option.keep,
      points: option.points,
      dice_left: option.diceLeft,
      then: option.then,
      value: option.value,
      loss: option.loss,
      tie: option.tie,
      ...(option.bust === null ? {} : { bust: option.bust }),
      ...(option.wipe === null ? {} : { wipe: option.wipe }),
      told: formatValue(option.value, data.objective),
    })),
  };
}

/** The advice about a position for ending above an opponent, whose card is that of another position, for tests. */
export async function beatJson(engine: Engine, id: string, theirs: string): Promise<unknown> {
  const { table } = engine.answers;
  const [own, opponent] = [id, theirs].map((text) => table.position(text).b as Scorecard);
  const answers = await engine.beat!.solve(own, opponent, () => undefined, new AbortController().signal);
  return adviceJson({ data: answers.data, answers }, id);
}

/** The review of a game file, in the form of `keepwise review --json`. */
export function reviewJson({ data, answers }: Engine, text: string): unknown {
  const game = Game.parse(answers.table, text, 'game');
  const result = review(answers, game);
  return {
    over: result.isOver,
    seats: result.seats.map((seat, n) => ({
      name: game.seats[n].name,
      start: seat.start,
      luck: seat.luck,
      errors: seat.ownErrors - seat.fromOthers,
      own_errors: seat.ownErrors,
      from_others: seat.fromOthers,
      outcome: seat.outcome,
      decisions: seat.decisions,
      mistakes: seat.mistakes,
    })),
    position: answers.table.id(game.position),
    text: game.text(),
    objective: data.objective,
  };
}
