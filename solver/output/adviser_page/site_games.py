"""The games of the site as its front page lists them: a picture, the names people use, and a line on each."""

from __future__ import annotations

from typing import NamedTuple


class ListedGame(NamedTuple):
    """A game of the site.

    Attributes:
        picture: faces of dice, one after another, or words that stand on dice.
        more_names: other names of the game, in any language, besides those of ``games.names.ALIASES``.
        summary: how it is played, in a sentence.
        german: the summary in German.
        french: the summary in French.
        rule_file: the game is a rule file that ships, not a built-in game.
        objective: the objective of the page; "" for the first one of the game that a page supports.
        more_players: the numbers of players for whom the game has further pages, to win.
    """

    picture: tuple[str, ...]
    more_names: tuple[str, ...]
    summary: str
    german: str
    french: str
    rule_file: bool = False
    objective: str = ""
    more_players: tuple[int, ...] = ()

    @property
    def summaries(self) -> dict[str, str]:
        """The summary by language."""
        return {"en": self.summary, "de": self.german, "fr": self.french}


LISTED_GAMES = {
    "5000": ListedGame(
        ("1", "1", "5"),
        (),
        "Five dice: keep what scores and roll on, or bank before a roll without points takes it all.",
        "Fünf Würfel: Behalte, was zählt, und wirf weiter, oder sichere, bevor ein Wurf ohne Punkte alles kostet.",
        "Cinq dés : gardez ce qui marque et relancez, ou encaissez avant qu’un lancer sans points fasse tout perdre.",
        more_players=(3,),
    ),
    "farkle": ListedGame(
        ("1", "5", "2", "2", "2"),
        (),
        "Six dice: keep what scores and roll on, or bank before a farkle.",
        "Sechs Würfel: Behalte, was zählt, und wirf weiter, oder sichere, bevor ein Fehlwurf kommt.",
        "Six dés : gardez ce qui marque et relancez, ou encaissez avant un lancer sans points.",
    ),
    "yahtzee": ListedGame(
        ("6", "6", "6", "6", "6"),
        ("Yahtzee with jokers",),
        "Five dice, three rolls a turn, thirteen boxes, each filled once.",
        "Fünf Würfel, drei Würfe je Zug, dreizehn Felder, jedes wird einmal gefüllt.",
        "Cinq dés, trois lancers par tour, treize cases, chacune remplie une fois.",
    ),
    "kniffel": ListedGame(
        ("5", "5", "5", "2", "2"),
        ("German Yahtzee",),
        "Yahtzee by the German score sheet: no jokers, and five alike are not a full house.",
        "Yahtzee nach dem Kniffel-Spielzettel: keine Joker, und fünf Gleiche sind kein Full House.",
        "Le Yahtzee selon la feuille allemande : pas de joker, et cinq dés identiques ne font pas un full.",
        rule_file=True,
    ),
    "yatzy": ListedGame(
        ("4", "4", "3", "3", "1"),
        ("Scandinavian Yahtzee",),
        "Five dice, three rolls a turn, fifteen boxes with one pair and two pairs.",
        "Fünf Würfel, drei Würfe je Zug, fünfzehn Felder mit einem Paar und zwei Paaren.",
        "Cinq dés, trois lancers par tour, quinze cases, dont une paire et deux paires.",
        rule_file=True,
    ),
    "battleship": ListedGame(
        ("6", "5", "4"),
        (),
        "A 6, then a 5, then a 4, in this order; the other two dice are your points.",
        "Eine 6, dann eine 5, dann eine 4, in dieser Reihenfolge; die anderen beiden Würfel sind deine Punkte.",
        "Un 6, puis un 5, puis un 4, dans cet ordre ; les deux autres dés sont vos points.",
        more_players=(3,),
    ),
    "pig": ListedGame(
        ("1",),
        ("Die böse Eins",),
        "One die: roll as often as you dare; a 1 loses the points of the turn.",
        "Ein Würfel: Wirf, so oft du dich traust; eine 1 kostet die Punkte des Zugs.",
        "Un dé : lancez aussi souvent que vous l’osez ; un 1 fait perdre les points du tour.",
        more_players=(3,),
    ),
    "zehntausend": ListedGame(
        ("1", "1", "1", "5"),
        ("Ten Thousand", "10000"),
        "Six dice to 10,000, and at least 500 points to bank.",
        "Sechs Würfel bis 10.000, und man braucht mindestens 500 Punkte zum Sichern.",
        "Six dés jusqu’à 10 000, et il faut au moins 500 points pour encaisser.",
        rule_file=True,
    ),
    "dix-mille": ListedGame(
        ("1", "5", "5", "5"),
        ("Dix mille",),
        "Six dice to 10,000: singles, triples, three pairs and the straight.",
        "Sechs Würfel bis 10.000: einzelne Würfel, drei Gleiche, drei Paare und die Straße.",
        "Six dés jusqu’à 10 000 : dés seuls, brelans, trois paires et la suite.",
        rule_file=True,
    ),
    "zilch": ListedGame(
        ("2", "3", "4", "6"),
        ("Farkle where three busts cost points",),
        "Six dice: each die beyond three alike doubles the points, three busts cost 500. Advice is for points.",
        "Sechs Würfel: Jeder Würfel über drei Gleiche hinaus verdoppelt die Punkte, und drei Fehlwürfe in Folge"
        " kosten 500. Die Tipps gelten für die meisten Punkte.",
        "Six dés : chaque dé au-delà de trois identiques double les points, et trois tours perdus de suite coûtent"
        " 500. Les conseils visent le plus de points.",
        rule_file=True,
        objective="points",
    ),
    "greed": ListedGame(
        ("1", "1", "1", "1", "1"),
        (),
        "Five dice to 3,000: all that scores is set aside, and 300 points to begin with.",
        "Fünf Würfel bis 3.000: Alles, was zählt, wird beiseitegelegt, und man braucht 300 Punkte für den Anfang.",
        "Cinq dés jusqu’à 3 000 : tout ce qui marque est mis de côté, et il faut 300 points pour commencer.",
        rule_file=True,
    ),
    "pass-the-pigs": ListedGame(
        ("razorback", "trotter"),
        (),
        "Roll two pigs: a pig out loses the turn, anything else scores.",
        "Wirf zwei Schweine: Liegen sie auf verschiedenen Seiten, ist der Zug verloren, alles andere zählt.",
        "Lancez deux cochons : sur deux flancs différents, le tour est perdu ; tout le reste marque.",
        rule_file=True,
    ),
    "beartrap": ListedGame(
        ("1", "5", "5"),
        ("Bear Trap",),
        "Five dice, and a target that must be reached exactly.",
        "Fünf Würfel und ein Ziel, das genau erreicht werden muss.",
        "Cinq dés, et un score à atteindre exactement.",
    ),
    "double-cameroon": ListedGame(
        ("1", "2", "3", "4", "5", "6"),
        (),
        "Ten dice, three rolls a turn, and two of ten boxes filled each time.",
        "Zehn Würfel, drei Würfe je Zug, und jedes Mal werden zwei von zehn Feldern gefüllt.",
        "Dix dés, trois lancers par tour, et deux des dix cases à remplir chaque fois.",
    ),
    "boston": ListedGame(
        ("6", "5", "4"),
        (),
        "Three dice, three rolls: the highest die is set aside each time.",
        "Drei Würfel, drei Würfe: Jedes Mal wird der höchste Würfel beiseitegelegt.",
        "Trois dés, trois lancers : le dé le plus haut est mis de côté chaque fois.",
        more_players=(3, 4),
    ),
    "multiplication": ListedGame(
        ("6", "5", "×", "4"),
        ("Going to Boston with multiplication",),
        "Three dice, three rolls: the sum of the first two set aside, times the last.",
        "Drei Würfel, drei Würfe: die Summe der ersten beiden beiseitegelegten, multipliziert mit dem letzten.",
        "Trois dés, trois lancers : la somme des deux premiers mis de côté, multipliée par le dernier.",
        more_players=(3, 4),
    ),
    "hearts-due": ListedGame(
        ("1", "2", "3"),
        (),
        "Six dice, one roll: runs from 1 on score. There is no choice.",
        "Sechs Würfel, ein Wurf: Folgen ab 1 zählen. Es gibt nichts zu entscheiden.",
        "Six dés, un lancer : les suites à partir de 1 marquent. Il n’y a aucun choix.",
        more_players=(3,),
    ),
    "scarney": ListedGame(
        ("1", "3", "4", "6"),
        (),
        "Five dice whose 2 and 5 are dead: roll, hit and double down.",
        "Fünf Würfel, deren 2 und 5 tot sind: werfen, weiterwerfen und verdoppeln.",
        "Cinq dés dont le 2 et le 5 sont morts : lancez, relancez et doublez.",
    ),
    "shut-the-box": ListedGame(
        ("1", "2", "…", "9"),
        (),
        "Two dice, nine tiles: shut tiles that add up to the dice until none fit; the fewest points left are best.",
        "Zwei Würfel, neun Klappen: Klappe um, was zusammen die Augen ergibt, bis nichts mehr passt; der kleinste Rest"
        " gewinnt.",
        "Deux dés, neuf clapets : fermez des clapets dont la somme est celle des dés, jusqu’à ce que plus rien ne soit"
        " possible ; le plus petit reste gagne.",
    ),
    "booby-trap": ListedGame(
        ("large", "small"),
        ("Booby-Trap",),
        "Take pieces from under a spring bar; the player who trips it pays.",
        "Nimm Stücke unter einem federnden Bügel weg; wer ihn zuschnappen lässt, zahlt.",
        "Retirez des pièces de sous une barre à ressort ; celui qui la déclenche paie.",
    ),
}
