process A {
  script:
  """
  echo ERROR
  """
}
