/** Quiz positions: from games played mostly well, decisions in which the next best choice has a cost. */
import type { Advice, Answers } from './answers';
import { isSameChoice } from './choices';
import { Refused } from './problem';
import type { Choice, Position } from './play';

const TRIES = 40;
const MOST_STEPS = 400;
const BEST_SHARE = 0.8;
const [SMALLEST, LARGEST] = [0.002, 0.08]; // limits of the loss of the next best choice, as shares of the scale

export class Quiz {
  position!: Position;
  advice!: Advice;
  answeredChoice: Choice | null = null;
  verdict: { loss: number; best: Choice } | null = null;
  askedCount = 0;
  rightCount = 0;
  totalLoss = 0;

  constructor(
    private readonly answers: Answers,
    private readonly random: () => number,
  ) {
    this.next();
  }

  next(): void {
    this.answeredChoice = this.verdict = null;
    let question: { p: Position; advice: Advice } | null = null;
    for (let n = 0; n < TRIES && !(question && this.isInteresting(question.advice)); n++)
      question = this.randomDecision() ?? question;
    if (!question) throw new Refused('noChoices');
    this.position = question.p;
    this.advice = question.advice;
  }

  private isInteresting({ choices }: Advice): boolean {
    const next = choices.find((choice) => !choice.tie);
    const scale = this.scale();
    return next !== undefined && next.loss >= SMALLEST * scale && next.loss <= LARGEST * scale;
  }

  private scale(): number {
    const [start] = this.answers.values(this.answers.table.start());
    return Math.max(1, Math.abs(start));
  }

  /** Return a random decision of a random game. */
  private randomDecision(): { p: Position; advice: Advice } | null {
    const { table } = this.answers;
    let p = table.start();
    let position: Position | null = null;
    const minimumSteps = Math.floor(this.random() * 30);
    for (let n = 0; n < MOST_STEPS && p.at !== 'over'; n++) {
      if (p.at === 'throw') {
        p = this.rollDice(p);
        continue;
      }
      const choices = table.choices(p);
      if (choices.length > 1) {
        position = p;
        if (n >= minimumSteps) break;
      }
      const isBest = choices.length > 1 && this.random() < BEST_SHARE;
      p = (isBest ? this.answers.advise(p).choices[0] : choices[Math.floor(this.random() * choices.length)])
        .after;
    }
    return position && { p: position, advice: this.answers.advise(position) };
  }

  private rollDice(p: Position): Position {
    const { table } = this.answers;
    const weights = Array.from({ length: table.rollCount(p) }, (_, n) => table.rollAt(p, n).weight);
    let remainder = this.random() * weights.reduce((a, b) => a + b, 0);
    let n = 0;
    while (n < weights.length - 1 && remainder >= weights[n]) remainder -= weights[n++];
    return table.rollAt(p, n).after;
  }

  answer(choice: Choice): void {
    const chosen = this.advice.choices.find((ranked) => isSameChoice(ranked, choice))!;
    this.answeredChoice = choice;
    this.verdict = { loss: chosen.tie ? 0 : chosen.loss, best: this.advice.choices[0] };
    this.askedCount++;
    this.rightCount += Number(chosen.tie);
    this.totalLoss += this.verdict.loss;
  }
}
