/** A page's engine: the game as it is played, and answers about it. */
import { Answers, PushEvaluator } from './answers';
import { Arrays, type PageData, bytesOf } from './data';
import { PushKernel } from './kernel';
import { GraphTable, type Position } from './play';
import { PushMatch } from './push';
import { worth } from './numbers';

export interface Engine {
  data: PageData;
  answers: Answers;
}

/** The compiled kernels, with vector instructions where the browser has them. */
export function instantiate(wasm: Record<string, string>): WebAssembly.Instance {
  if (typeof WebAssembly !== 'object') throw new Error('WebAssembly');
  let module: WebAssembly.Module;
  try {
    module = new WebAssembly.Module(bytesOf(wasm.simd));
  } catch {
    module = new WebAssembly.Module(bytesOf(wasm.plain));
  }
  return new WebAssembly.Instance(module);
}

export function engine(data: PageData, wasm: Record<string, string>): Engine {
  const arrays = new Arrays(data);
  const match = new PushMatch(data, arrays);
  const table = new GraphTable(data, match, arrays);
  const kernel = new PushKernel(instantiate(wasm), data.turn!, arrays);
  return { data, answers: new Answers(data, table, new PushEvaluator(data, table, kernel)) };
}

/** The answers in the shape of the command line's JSON: what tests and other pages may ask. */
export function asJson({ data, answers }: Engine, id: string): unknown {
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
    choices: advice.choices.map((one) => ({
      action: one.action,
      keep: one.keep,
      points: one.points,
      dice_left: one.diceLeft,
      then: one.then,
      value: one.value,
      loss: one.loss,
      tie: one.tie,
      ...(one.bust === null ? {} : { bust: one.bust }),
      told: worth(one.value, data.objective),
    })),
  };
}
