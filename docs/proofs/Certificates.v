(** * Certificates: accepted lines enclose the values of a game

    The companion of docs/exactness.md, for Rocq (Coq 8.16, Debian's package [coq]); [make proof] checks it. Only the
    standard library is used. H1, H2, ... are the hypotheses of that page, what a checker of certificates has to
    establish step by step; theorems are numbered as there.

    A game is a finite list of _states_, each with one equation: what the state is worth, told as seat 0 sees it, is an
    expression in what the states are worth that it leads to. Seat 0 makes it as large, seat 1 as small as possible. A
    _certificate_ tells a lower number, an upper number and a rank for every state. [check] says whether it is accepted;
    it computes with fractions only. What is proved:

    - [enclosed]: every solution of the equations lies between the two lines, at every state;
    - [solvable]: there is a solution;
    - [sub_below], [super_above]: the halves, each for numbers that satisfy its system of equations from one side only;
      this is what the values of games and of cut tables do;
    - [followed_max], [followed_min]: who makes the choices that are best by a line gets what the line says, whatever
      the other does;
    - [nobody_gains]: for three and more players, what can be gained at most by leaving the stored play. *)

From Coq Require Import Reals QArith Qreals List Arith Bool Lia Lra Psatz.
Import ListNotations.
Local Open Scope R_scope.

(** ** Equations

    [Mix w e f] is w e + (1 - w) f; a throw of dice is a nest of these, see [throw]. [Shift] adds what is paid on the
    way, points or minus one turn. [Max] is a choice of seat 0, [Min] one of seat 1. *)

Inductive expr : Type :=
| Const (c : Q)
| State (j : nat)
| Shift (c : Q) (e : expr)
| Mix (w : Q) (e f : expr)
| Max (e f : expr)
| Min (e f : expr).

Definition system := list expr.
Definition equation (F : system) (s : nat) : expr := nth s F (Const 0).

Arguments Qred : simpl never.
Arguments Q2R : simpl never.

(** What an expression is worth where the states are worth [V]: in real numbers, and as it is computed, in fractions. *)

Fixpoint worth (V : nat -> R) (e : expr) : R :=
  match e with
  | Const c => Q2R c
  | State j => V j
  | Shift c e => Q2R c + worth V e
  | Mix w e f => Q2R w * worth V e + (1 - Q2R w) * worth V f
  | Max e f => Rmax (worth V e) (worth V f)
  | Min e f => Rmin (worth V e) (worth V f)
  end.

Definition larger (a b : Q) : Q := if Qle_bool b a then a else b.
Definition smaller (a b : Q) : Q := if Qle_bool a b then a else b.

Fixpoint computed (V : nat -> Q) (e : expr) : Q :=
  match e with
  | Const c => c
  | State j => V j
  | Shift c e => Qred (c + computed V e)
  | Mix w e f => Qred (w * computed V e + (1 - w) * computed V f)
  | Max e f => larger (computed V e) (computed V f)
  | Min e f => smaller (computed V e) (computed V f)
  end.

(** [V] satisfies the equations from below (H3), from above (H4), or solves them. *)

Definition sub (F : system) (V : nat -> R) := forall s, (s < length F)%nat -> V s <= worth V (equation F s).
Definition super (F : system) (V : nat -> R) := forall s, (s < length F)%nat -> worth V (equation F s) <= V s.
Definition solves (F : system) (V : nat -> R) := forall s, (s < length F)%nat -> V s = worth V (equation F s).

(** H1, H2: links lead to states that are listed, weights lie between 0 and 1. *)

Fixpoint closed (n : nat) (e : expr) : bool :=
  match e with
  | Const _ => true
  | State j => (j <? n)%nat
  | Shift _ e => closed n e
  | Mix w e f => Qle_bool 0 w && Qle_bool w 1 && closed n e && closed n f
  | Max e f | Min e f => closed n e && closed n f
  end.

Definition closed_system (F : system) : bool := forallb (closed (length F)) F.

(** H7: whatever is chosen, there is some chance to come to a constant or to a state of lower rank; [low] tells which
    states these are. *)

Definition above0 (q : Q) : bool := negb (Qle_bool q 0).
Fixpoint progress (low : nat -> bool) (e : expr) : bool :=
  match e with
  | Const _ => true
  | State j => low j
  | Shift _ e => progress low e
  | Mix w e f => above0 w && progress low e || above0 (1 - w) && progress low f
  | Max e f | Min e f => progress low e && progress low f
  end.

Definition lower_than (rank : nat -> nat) (s j : nat) : bool := (rank j <? rank s)%nat.

(** ** Fractions and real numbers *)

Lemma le_true a b : Qle_bool a b = true -> Q2R a <= Q2R b.
Proof. intro H. apply Qle_Rle. now apply Qle_bool_iff. Qed.

Lemma le_false a b : Qle_bool a b = false -> Q2R b < Q2R a.
Proof. intro H. apply Qlt_Rlt, Qnot_le_lt. rewrite <- Qle_bool_iff. congruence. Qed.

Lemma Q2R_0 : Q2R 0 = 0. Proof. unfold Q2R. simpl. lra. Qed.
Lemma Q2R_1 : Q2R 1 = 1. Proof. unfold Q2R. simpl. lra. Qed.

Lemma above0_true w : above0 w = true -> 0 < Q2R w.
Proof. unfold above0. intro H. apply negb_true_iff, le_false in H. now rewrite Q2R_0 in H. Qed.

Lemma rest w : Q2R (1 - w) = 1 - Q2R w.
Proof. now rewrite Q2R_minus, Q2R_1. Qed.

Lemma reduced q : Q2R (Qred q) = Q2R q.
Proof. apply Qeq_eqR, Qred_correct. Qed.

Ltac larger_smaller := unfold Rmax, Rmin; repeat destruct Rle_dec; lra.

Lemma Q2R_larger a b : Q2R (larger a b) = Rmax (Q2R a) (Q2R b).
Proof. unfold larger. destruct (Qle_bool b a) eqn:H; (apply le_true in H || apply le_false in H); larger_smaller. Qed.

Lemma Q2R_smaller a b : Q2R (smaller a b) = Rmin (Q2R a) (Q2R b).
Proof. unfold smaller. destruct (Qle_bool a b) eqn:H; (apply le_true in H || apply le_false in H); larger_smaller. Qed.

(** H8: what is computed is what is meant. (A checker that rounds has to round to the safe side.) *)

Ltac over e := induction e as [c | j | c e IH | w e IHe f IHf | e IHe f IHf | e IHe f IHf].

Lemma computed_is_worth V e : Q2R (computed V e) = worth (fun j => Q2R (V j)) e.
Proof.
  over e; simpl; rewrite ?reduced, ?Q2R_plus, ?Q2R_mult, ?rest, ?Q2R_larger, ?Q2R_smaller; congruence.
Qed.

(** ** What every expression does

    If no state is worth more in [X] than m above what it is worth in [Y], no expression is ((1) of the page); and one
    with some chance to come to a constant, or to a state that is worth less than that, is worth less than that. *)

Lemma closed_mix n w e f :
  closed n (Mix w e f) = true -> 0 <= Q2R w <= 1 /\ closed n e = true /\ closed n f = true.
Proof.
  simpl. rewrite !andb_true_iff. intros [[[H0 H1] He] Hf].
  apply le_true in H0, H1. rewrite Q2R_0 in H0. rewrite Q2R_1 in H1. auto.
Qed.

Lemma shifted n e X Y m :
  closed n e = true -> 0 <= m -> (forall j, (j < n)%nat -> X j <= Y j + m) -> worth X e <= worth Y e + m.
Proof.
  intros C M H. over e.
  - simpl. lra.
  - simpl in *. apply H. now apply Nat.ltb_lt.
  - simpl in *. specialize (IH C). lra.
  - apply closed_mix in C as [W [Ce Cf]]. simpl. specialize (IHe Ce). specialize (IHf Cf). nra.
  - simpl in *. apply andb_true_iff in C as [Ce Cf]. specialize (IHe Ce). specialize (IHf Cf). larger_smaller.
  - simpl in *. apply andb_true_iff in C as [Ce Cf]. specialize (IHe Ce). specialize (IHf Cf). larger_smaller.
Qed.

Lemma progressed n e X Y m low :
  closed n e = true -> 0 < m -> (forall j, (j < n)%nat -> X j <= Y j + m) ->
  (forall j, (j < n)%nat -> low j = true -> X j < Y j + m) ->
  progress low e = true -> worth X e < worth Y e + m.
Proof.
  intros C M H L. over e; intro P.
  - simpl. lra.
  - simpl in *. apply L; [now apply Nat.ltb_lt | exact P].
  - simpl in *. specialize (IH C P). lra.
  - apply closed_mix in C as [W [Ce Cf]]. simpl in *.
    assert (E : worth X e <= worth Y e + m) by (apply (shifted n); auto; lra).
    assert (G : worth X f <= worth Y f + m) by (apply (shifted n); auto; lra).
    apply orb_true_iff in P as [P | P]; apply andb_true_iff in P as [Pw Pe]; apply above0_true in Pw.
    + specialize (IHe Ce Pe). nra.
    + rewrite rest in Pw. specialize (IHf Cf Pe). nra.
  - simpl in *. apply andb_true_iff in C as [Ce Cf]. apply andb_true_iff in P as [Pe Pf].
    specialize (IHe Ce Pe). specialize (IHf Cf Pf). larger_smaller.
  - simpl in *. apply andb_true_iff in C as [Ce Cf]. apply andb_true_iff in P as [Pe Pf].
    specialize (IHe Ce Pe). specialize (IHf Cf Pf). larger_smaller.
Qed.

(** Where all that an expression links to is of lower rank there is progress: acyclic blocks need no more. *)

Fixpoint descends (low : nat -> bool) (e : expr) : bool :=
  match e with
  | Const _ => true
  | State j => low j
  | Shift _ e => descends low e
  | Mix _ e f | Max e f | Min e f => descends low e && descends low f
  end.

Lemma descends_progress low e : descends low e = true -> progress low e = true.
Proof.
  over e; simpl; auto; rewrite ?andb_true_iff; try tauto.
  intros [D E]. rewrite (IHe D), (IHf E), !andb_true_r. unfold above0.
  destruct (Qle_bool w 0) eqn:A; [| reflexivity]. destruct (Qle_bool (1 - w) 0) eqn:B; [| reflexivity].
  apply le_true in A, B. rewrite rest in B. rewrite Q2R_0 in *. lra.
Qed.

Lemma monotone n e X Y :
  closed n e = true -> (forall j, (j < n)%nat -> X j <= Y j) -> worth X e <= worth Y e.
Proof.
  intros C H. assert (worth X e <= worth Y e + 0); [| lra].
  apply (shifted n); auto; [lra |]. intros j J. specialize (H j J). lra.
Qed.

(** ** The one argument: Lemma A

    [X] satisfies the equations from below and [Y] from above; and at every state one of the two does so strictly, or
    there is progress. Then [X] is nowhere above [Y]. For where [X] is farthest above [Y], by m > 0, one step leads back
    under m if it is strict; and if there is progress, states of lower rank being less than m above, this one is too. So
    none is as far above as that, going through the ranks from the lowest on. *)

Lemma farthest (D : nat -> R) n : (0 < n)%nat -> exists i, (i < n)%nat /\ forall j, (j < n)%nat -> D j <= D i.
Proof.
  induction n as [| n IH]; [lia |]. intros _. destruct n as [| n].
  - exists 0%nat. split; [lia |]. intros j J. replace j with 0%nat by lia. lra.
  - destruct IH as [i [I M]]; [lia |].
    destruct (Rle_dec (D i) (D (S n))) as [L | L]; [exists (S n) | exists i]; (split; [lia |]); intros j J;
      (destruct (Nat.eq_dec j (S n)) as [-> | N]; [| specialize (M j ltac:(lia))]; lra).
Qed.

Lemma closed_equation F s : closed_system F = true -> (s < length F)%nat -> closed (length F) (equation F s) = true.
Proof. unfold closed_system. rewrite forallb_forall. intros H S. apply H. now apply nth_In. Qed.

Definition decided F X Y rank s :=
  X s < worth X (equation F s) \/ worth Y (equation F s) < Y s \/
  progress (lower_than rank s) (equation F s) = true.

Theorem comparison F X Y rank :
  closed_system F = true -> sub F X -> super F Y ->
  (forall s, (s < length F)%nat -> decided F X Y rank s) ->
  forall s, (s < length F)%nat -> X s <= Y s.
Proof.
  intros C B A D s Hs.
  destruct (farthest (fun j => X j - Y j) (length F)) as [i [I M]]; [lia |]. cbv beta in M.
  set (m := X i - Y i) in *.
  destruct (Rle_dec m 0) as [N | N]; [specialize (M s Hs); lra | exfalso].
  assert (Near : forall j, (j < length F)%nat -> X j <= Y j + m) by (intros j J; specialize (M j J); lra).
  enough (Under : forall r j, (j < length F)%nat -> (rank j < r)%nat -> X j < Y j + m).
  { specialize (Under (S (rank i)) i I ltac:(lia)). unfold m in Under. lra. }
  induction r as [| r IH]; [lia |]. intros j J Rj.
  assert (Cj := closed_equation F j C J). specialize (B j J). specialize (A j J).
  assert (W : worth X (equation F j) <= worth Y (equation F j) + m) by (apply (shifted (length F)); auto; lra).
  destruct (D j J) as [H | [H | H]]; [lra | lra |].
  enough (worth X (equation F j) < worth Y (equation F j) + m) by lra.
  apply (progressed (length F)) with (low := lower_than rank j); auto; [lra |].
  intros k K L. apply IH; [exact K |]. unfold lower_than in L. apply Nat.ltb_lt in L. lia.
Qed.

(** Where there is progress everywhere, two solutions are the same. *)

Corollary unique F rank V W :
  closed_system F = true ->
  (forall s, (s < length F)%nat -> progress (lower_than rank s) (equation F s) = true) ->
  solves F V -> solves F W -> forall s, (s < length F)%nat -> V s = W s.
Proof.
  intros C P HV HW s Hs. apply Rle_antisym; apply (comparison F _ _ rank); unfold decided; auto;
    intros t T; apply Req_le; auto; symmetry; auto.
Qed.

(** ** Certificates

    A line for every state: a lower number, an upper number (dyadic in the files; the proof needs no more than
    fractions) and a rank. H5 and H6 are the inequalities, H7 that they are strict or that there is progress. *)

Record line := { low : Q; up : Q; rank : nat }.
Definition certificate := list line.
Definition entry (c : certificate) (s : nat) : line := nth s c {| low := 0; up := 0; rank := 0 |}.
Definition lows c s := low (entry c s).
Definition ups c s := up (entry c s).
Definition ranks c s := rank (entry c s).
Definition lower c s : R := Q2R (lows c s).
Definition upper c s : R := Q2R (ups c s).

Definition at_most (a b : Q) (progress : bool) : bool := Qle_bool a b && (negb (Qle_bool b a) || progress).
Definition upper_holds F c s : bool :=
  at_most (computed (ups c) (equation F s)) (ups c s) (progress (lower_than (ranks c) s) (equation F s)).
Definition lower_holds F c s : bool :=
  at_most (lows c s) (computed (lows c) (equation F s)) (progress (lower_than (ranks c) s) (equation F s)).

Definition everywhere F (holds : nat -> bool) : bool := closed_system F && forallb holds (seq 0 (length F)).
Definition check_upper F c : bool := everywhere F (upper_holds F c).
Definition check_lower F c : bool := everywhere F (lower_holds F c).
Definition check F c : bool := check_upper F c && check_lower F c.

Lemma at_most_true a b p : at_most a b p = true -> Q2R a <= Q2R b /\ (Q2R a < Q2R b \/ p = true).
Proof.
  unfold at_most. rewrite andb_true_iff, orb_true_iff, negb_true_iff. intros [L [N | P]].
  - apply le_false in N. split; [lra | now left].
  - apply le_true in L. split; [lra | now right].
Qed.

Lemma everywhere_true F holds :
  everywhere F holds = true <-> closed_system F = true /\ forall s, (s < length F)%nat -> holds s = true.
Proof.
  unfold everywhere. rewrite andb_true_iff, forallb_forall. split; intros [C H]; (split; [exact C |]).
  - intros s Hs. apply H, in_seq. lia.
  - intros s Hs. apply H. apply in_seq in Hs. lia.
Qed.

Lemma upper_line F c : check_upper F c = true ->
  closed_system F = true /\ super F (upper c) /\ forall X s, (s < length F)%nat -> decided F X (upper c) (ranks c) s.
Proof.
  unfold check_upper. rewrite everywhere_true. intros [C H]. split; [exact C |].
  split; [intros s Hs | intros X s Hs]; specialize (H s Hs); apply at_most_true in H;
    rewrite computed_is_worth in H; unfold decided; tauto.
Qed.

Lemma lower_line F c : check_lower F c = true ->
  closed_system F = true /\ sub F (lower c) /\ forall Y s, (s < length F)%nat -> decided F (lower c) Y (ranks c) s.
Proof.
  unfold check_lower. rewrite everywhere_true. intros [C H]. split; [exact C |].
  split; [intros s Hs | intros Y s Hs]; specialize (H s Hs); apply at_most_true in H;
    rewrite computed_is_worth in H; unfold decided; tauto.
Qed.

(** *** Theorem 1: the enclosure

    Each half for numbers that satisfy the equations from its side only. The two halves may be of different systems:
    where a table is cut, bounds from above go into the one and bounds from below into the other. *)

Theorem sub_below F c X : check_upper F c = true -> sub F X -> forall s, (s < length F)%nat -> X s <= upper c s.
Proof. intros H B. destruct (upper_line F c H) as [C [A D]]. apply (comparison F X (upper c) (ranks c)); auto. Qed.

Theorem super_above F c Y : check_lower F c = true -> super F Y -> forall s, (s < length F)%nat -> lower c s <= Y s.
Proof. intros H A. destruct (lower_line F c H) as [C [B D]]. apply (comparison F (lower c) Y (ranks c)); auto. Qed.

Theorem enclosed F c V : check F c = true -> solves F V ->
  forall s, (s < length F)%nat -> lower c s <= V s <= upper c s.
Proof.
  unfold check. rewrite andb_true_iff. intros [U L] HV.
  split; [apply (super_above F) | apply (sub_below F)]; auto; intros t T; apply Req_le; auto; symmetry; auto.
Qed.

(** That the lines do not cross needs no test of its own. *)

Theorem in_order F c : check F c = true -> forall s, (s < length F)%nat -> lower c s <= upper c s.
Proof.
  unfold check. rewrite andb_true_iff. intros [U L].
  destruct (lower_line F c L) as [_ [B _]]. now apply (sub_below F).
Qed.

(** *** Theorem 2: there is a solution

    It is, state by state, the least upper bound of all numbers below the upper line that satisfy the equations from
    below (Knaster and Tarski's argument). *)

Lemma solution_between F L U :
  closed_system F = true -> sub F L -> super F U -> (forall s, (s < length F)%nat -> L s <= U s) ->
  exists V, solves F V.
Proof.
  intros C B A O. set (n := length F) in *.
  set (under := fun X => sub F X /\ forall j, (j < n)%nat -> X j <= U j).
  set (values := fun s x => exists X, under X /\ x = if (s <? n)%nat then X s else 0).
  assert (Sup : forall s, { v | is_lub (values s) v }).
  { intro s. apply completeness.
    - exists (if (s <? n)%nat then U s else 0). intros x [X [[_ H] ->]].
      destruct (s <? n)%nat eqn:E; [| lra]. apply H. now apply Nat.ltb_lt.
    - exists (if (s <? n)%nat then L s else 0). exists L. unfold under. auto. }
  set (V := fun s => proj1_sig (Sup s)).
  assert (Above : forall X j, under X -> (j < n)%nat -> X j <= V j).
  { intros X j HX J. unfold V. destruct (Sup j) as [v [Hv Hl]]. simpl. apply Hv. exists X. split; [exact HX |].
    apply Nat.ltb_lt in J. now rewrite J. }
  assert (Least : forall b j, (j < n)%nat -> (forall X, under X -> X j <= b) -> V j <= b).
  { intros b j J H. unfold V. destruct (Sup j) as [v [Hv Hl]]. simpl. apply Hl. intros x [X [HX ->]].
    apply Nat.ltb_lt in J. rewrite J. auto. }
  assert (VU : forall j, (j < n)%nat -> V j <= U j).
  { intros j J. apply Least; [exact J |]. intros X [_ H]. auto. }
  assert (VB : sub F V).
  { intros s Hs. apply Least; [exact Hs |]. intros X [XB XU]. apply Rle_trans with (worth X (equation F s)); auto.
    apply (monotone n); [now apply closed_equation |]. intros j J. apply Above; [split |]; auto. }
  assert (W : under (fun s => worth V (equation F s))).
  { split.
    - intros s Hs. apply (monotone n); [now apply closed_equation |]. auto.
    - intros s Hs. apply Rle_trans with (worth U (equation F s)); [| auto].
      apply (monotone n); [now apply closed_equation |]. exact VU. }
  exists V. intros s Hs. apply Rle_antisym; [now apply VB |]. exact (Above _ s W Hs).
Qed.

Theorem solvable F c : check F c = true -> exists V, solves F V.
Proof.
  intro H. assert (O := in_order F c H). unfold check in H. apply andb_true_iff in H as [U L].
  destruct (upper_line F c U) as [C [A _]]. destruct (lower_line F c L) as [_ [B _]].
  now apply (solution_between F (lower c) (upper c)).
Qed.

(** *** Theorem 3: what an accepted certificate proves, in one sentence *)

Theorem check_sound F c : check F c = true ->
  (exists V, solves F V) /\
  forall V, solves F V -> forall s, (s < length F)%nat -> lower c s <= V s <= upper c s.
Proof. intro H. split; [now apply (solvable F c) | intros V; now apply enclosed]. Qed.

(** ** Play by a line

    [follow true V] makes every choice of seat 0, [follow false V] every choice of seat 1, as is best where the states
    are worth [V]; what is left are the other's choices and the dice. *)

Fixpoint follow (seat0 : bool) (V : nat -> Q) (e : expr) : expr :=
  match e with
  | Const _ | State _ => e
  | Shift c e => Shift c (follow seat0 V e)
  | Mix w e f => Mix w (follow seat0 V e) (follow seat0 V f)
  | Max e f =>
      if negb seat0 then Max (follow seat0 V e) (follow seat0 V f)
      else if Qle_bool (computed V f) (computed V e) then follow seat0 V e else follow seat0 V f
  | Min e f =>
      if seat0 then Min (follow seat0 V e) (follow seat0 V f)
      else if Qle_bool (computed V e) (computed V f) then follow seat0 V e else follow seat0 V f
  end.

Ltac either := match goal with |- context [if Qle_bool ?a ?b then _ else _] => destruct (Qle_bool a b) end.

Lemma follow_computed b V e : computed V (follow b V e) = computed V e.
Proof.
  over e; simpl; try congruence.
  - destruct b; simpl; [| congruence]. unfold larger. either; congruence.
  - destruct b; simpl; [congruence |]. unfold smaller. either; congruence.
Qed.

Lemma follow_closed b V n e : closed n e = true -> closed n (follow b V e) = true.
Proof.
  over e; simpl; auto; rewrite ?andb_true_iff; try tauto;
    destruct b; simpl; try either; simpl; rewrite ?andb_true_iff; tauto.
Qed.

Lemma follow_progress b V r e : progress r e = true -> progress r (follow b V e) = true.
Proof.
  over e; simpl; auto; rewrite ?orb_true_iff, ?andb_true_iff; try tauto;
    destruct b; simpl; try either; simpl; rewrite ?andb_true_iff; tauto.
Qed.

Lemma follow_equation b V F s : equation (map (follow b V) F) s = follow b V (equation F s).
Proof. unfold equation. change (Const 0) with (follow b V (Const 0)) at 1. apply map_nth. Qed.

Lemma follow_everywhere b V F holds holds' :
  (forall s, holds s = true -> holds' s = true) ->
  everywhere F holds = true -> everywhere (map (follow b V) F) holds' = true.
Proof.
  intros H. rewrite !everywhere_true, map_length. intros [C A]. split; [| auto].
  unfold closed_system in *. rewrite map_length. rewrite forallb_forall in *. intros e E.
  apply in_map_iff in E as [f [<- I]]. apply follow_closed. auto.
Qed.

(** The line is accepted of the play that follows it. So by [super_above] it is a lower bound of what seat 0 gets by
    that play against any other, and by [sub_below] an upper bound of what seat 1 lets seat 0 have. *)

Theorem followed_max F c : check_lower F c = true -> check_lower (map (follow true (lows c)) F) c = true.
Proof.
  apply follow_everywhere. intro s. unfold lower_holds, at_most. rewrite follow_equation, follow_computed.
  rewrite !andb_true_iff, !orb_true_iff. intuition auto using follow_progress.
Qed.

Theorem followed_min F c : check_upper F c = true -> check_upper (map (follow false (ups c)) F) c = true.
Proof.
  apply follow_everywhere. intro s. unfold upper_holds, at_most. rewrite follow_equation, follow_computed.
  rewrite !andb_true_iff, !orb_true_iff. intuition auto using follow_progress.
Qed.

(** ** Three and more players

    For one seat [play] are the equations of what the stored play brings it, where nobody chooses, and [best] those of
    its best reply, where it alone does. What it gains by leaving the play is at most the largest difference. *)

Fixpoint largest (n : nat) (f : nat -> Q) : Q :=
  match n with O => 0 | S k => larger (f k) (largest k f) end.

Definition regret n (c d : certificate) : Q := largest n (fun s => (ups c s - lows d s)%Q).

Lemma largest_above n f s : (s < n)%nat -> Q2R (f s) <= Q2R (largest n f).
Proof.
  induction n as [| n IH]; [lia |]. intro Hs. simpl. rewrite Q2R_larger.
  destruct (Nat.eq_dec s n) as [-> | N]; [apply Rmax_l |].
  apply Rle_trans with (Q2R (largest n f)); [apply IH; lia | apply Rmax_r].
Qed.

Theorem nobody_gains best play c d B P :
  length best = length play -> check_upper best c = true -> check_lower play d = true ->
  sub best B -> super play P ->
  forall s, (s < length play)%nat -> B s - P s <= Q2R (regret (length play) c d).
Proof.
  intros E U L HB HP s Hs.
  assert (Q2R (ups c s - lows d s) <= Q2R (regret (length play) c d))
    by (apply (largest_above _ (fun s => (ups c s - lows d s)%Q)), Hs).
  rewrite Q2R_minus in *. rewrite <- E in Hs. assert (H1 := sub_below best c B U HB s Hs).
  rewrite E in Hs. assert (H2 := super_above play d P L HP s Hs). unfold upper, lower in *. lra.
Qed.

(** ** Throws

    The dice in whole numbers: every way to fall, what it leads to, and its weight. *)

Definition way := (positive * expr)%type.

Fixpoint total (first : way) (others : list way) : positive :=
  match others with
  | [] => fst first
  | next :: others' => fst first + total next others'
  end.

Fixpoint throw (first : way) (others : list way) : expr :=
  match others with
  | [] => snd first
  | next :: others' => Mix (Zpos (fst first) # total first others) (snd first) (throw next others')
  end.

Fixpoint weighted V (first : way) (others : list way) : R :=
  IZR (Zpos (fst first)) * worth V (snd first) +
  match others with [] => 0 | next :: others' => weighted V next others' end.

Lemma throw_is_mean V first others :
  IZR (Zpos (total first others)) * worth V (throw first others) = weighted V first others.
Proof.
  revert first. induction others as [| next others IH]; intro first; simpl; [lra |].
  rewrite <- IH. unfold Q2R. simpl. rewrite Pos2Z.inj_add, plus_IZR.
  assert (0 < IZR (Zpos (fst first))) by now apply IZR_lt.
  assert (0 < IZR (Zpos (total next others))) by now apply IZR_lt.
  field. lra.
Qed.

(** ** Examples

    *** Three states that lead to each other

    State 0: seat 0 may stop for 1/2 or go to state 1. State 1: a throw, half the time 7/10, else state 2. State 2:
    seat 1 may stop for 3/5 or go back to state 0. The values are 13/20, 13/20 and 3/5; the lines are dyadic and strict,
    so they need no ranks. *)

Local Open Scope Q_scope.

Definition coin (heads tails : expr) : expr := throw (1%positive, heads) [(1%positive, tails)].

Definition three : system :=
  [ Max (Const (1 # 2)) (State 1);
    coin (Const (7 # 10)) (State 2);
    Min (Const (3 # 5)) (State 0) ].

Definition three_lines : certificate :=
  [ {| low := 663 # 1024; up := 668 # 1024; rank := 0 |};
    {| low := 664 # 1024; up := 667 # 1024; rank := 0 |};
    {| low := 613 # 1024; up := 616 # 1024; rank := 0 |} ].

Example three_accepted : check three three_lines = true.
Proof. vm_compute. reflexivity. Qed.

(** Two states that only lead to each other are worth anything. Lines that hold each other up are refused; it is what
    strictness or progress is for. *)

Example circle_refused :
  let half r := {| low := 1 # 2; up := 1 # 2; rank := r |} in check [State 1; State 0] [half 0%nat; half 1%nat] = false.
Proof. reflexivity. Qed.

(** *** Piglet

    A coin: heads adds 1 to the turn, tails loses the turn's points and the turn, holding banks them; first to [goal]
    wins. A place is whose turn it is, the scores of who is to move and of the other, and the points in hand. Nobody
    may hold with nothing in hand. *)

Record place := Place { seat : nat; mine : nat; theirs : nat; held : nat }.

Definition places (goal : nat) : list place :=
  flat_map (fun s => flat_map (fun a => flat_map (fun b => map (Place s a b) (seq 0 (goal - a)))
    (seq 0 goal)) (seq 0 goal)) [0; 1]%nat.

Definition same (p q : place) : bool :=
  ((seat p =? seat q) && (mine p =? mine q) && (theirs p =? theirs q) && (held p =? held q))%nat.

Fixpoint number (p : place) (among : list place) : nat :=
  match among with [] => 0 | q :: others => if same p q then 0 else S (number p others) end.

Definition state_of (goal : nat) (p : place) : expr := State (number p (places goal)).

Definition piglet_equation (goal : nat) (p : place) : expr :=
  let turn_of_other score := state_of goal (Place (1 - seat p) (theirs p) score 0) in
  let won := Const (if (seat p =? 0)%nat then 1 else 0) in
  let heads :=
    if (goal <=? mine p + held p + 1)%nat then won
    else state_of goal (Place (seat p) (mine p) (theirs p) (held p + 1)) in
  let flip := coin heads (turn_of_other (mine p)) in
  if (held p =? 0)%nat then flip
  else (if (seat p =? 0)%nat then Max else Min) flip (turn_of_other (mine p + held p)%nat).

Definition piglet (goal : nat) : system := map (piglet_equation goal) (places goal).

(** Exact lines, from the chance to win of who is to move; the higher the total, and then the more points in hand, the
    lower the rank. *)

Definition piglet_lines (goal : nat) (chance : nat -> nat -> nat -> Q) : certificate :=
  map (fun p =>
    let mover := chance (mine p) (theirs p) (held p) in
    let v := if (seat p =? 0)%nat then mover else 1 - mover in
    {| low := v; up := v; rank := (goal - held p + goal * (2 * goal - mine p - theirs p))%nat |}) (places goal).

(** Piglet to 2, as published: 4/7, 2/5, 4/5 and 2/3 at the beginnings of turns. *)

Definition to_2 (a b k : nat) : Q :=
  match a, b, k with
  | 0, 0, 0 => 4 # 7 | 0, 0, _ => 5 # 7
  | 0, _, 0 => 2 # 5 | 0, _, _ => 3 # 5
  | _, 0, _ => 4 # 5 | _, _, _ => 2 # 3
  end%nat.

Definition begins (a b : nat) : nat := number (Place 0 a b 0) (places 2).

Example piglet_values V : solves (piglet 2) V ->
  (V (begins 0 0) = 4 / 7 /\ V (begins 0 1) = 2 / 5 /\ V (begins 1 0) = 4 / 5 /\ V (begins 1 1) = 2 / 3)%R.
Proof.
  assert (C : check (piglet 2) (piglet_lines 2 to_2) = true) by (vm_compute; reflexivity).
  intro H. assert (E := enclosed _ _ _ C H).
  assert (At : forall s q, (s < 12)%nat -> lows (piglet_lines 2 to_2) s = q -> ups (piglet_lines 2 to_2) s = q ->
    V s = Q2R q).
  { intros s q Hs L U. specialize (E s Hs). unfold lower, upper in E. rewrite L, U in E. lra. }
  repeat split; (erewrite At; [| vm_compute; lia | vm_compute; reflexivity | vm_compute; reflexivity]);
    unfold Q2R; simpl; lra.
Qed.

(** With one number changed it is refused. *)

Example piglet_refused :
  let wrong a b k := if ((a =? 1) && (b =? 1))%nat%bool then 5 # 8 else to_2 a b k in
  check (piglet 2) (piglet_lines 2 wrong) = false.
Proof. vm_compute. reflexivity. Qed.

(** ** What all of this rests on: the axioms of Coq's real numbers, and nothing else *)

Print Assumptions check_sound.
Print Assumptions nobody_gains.
Print Assumptions piglet_values.
