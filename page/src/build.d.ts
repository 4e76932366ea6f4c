/**
 * Constants that the build sets.
 *
 * WITH_HANDS: whether the program can build the turns of any hand of dice, and number the rolls of dice that are added
 * up. Other pages leave this code out, because it is a tenth of the program.
 */
declare const WITH_HANDS: boolean;
