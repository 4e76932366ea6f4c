"""Quizzes: decisions in which a policy or a player made mistakes, and missed questions that are asked again."""
