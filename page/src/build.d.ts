/**
 * Constants that the build sets.
 *
 * WITH_HANDS: whether the program can build the turns of any hand of dice, and number the rolls of dice that are added
 * up. Other pages leave this code out, because it is a tenth of the program.
 *
 * ONLY_RACES: whether the program is for turns in which points are banked or lost, such as those of 5000 and Farkle. It
 * leaves out scorecards and all other kinds of games, which are a sixth of the program.
 *
 * WITH_CARDS: whether the program can play scorecards.
 */
declare const WITH_HANDS: boolean;
declare const ONLY_RACES: boolean;
declare const WITH_CARDS: boolean;
