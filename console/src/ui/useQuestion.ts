import { useState } from 'react'

/** Something that a dialog asks, and whoever waits for the answer. */
export const useQuestion = <Question, Answer>() => {
  const [asked, setAsked] = useState<{ readonly question: Question; readonly answer: (answer: Answer) => void }>()
  const ask = (question: Question): Promise<Answer> =>
    new Promise((resolve) => {
      const answer = (given: Answer): void => {
        setAsked(undefined)
        resolve(given)
      }
      setAsked({ question, answer })
    })
  return { asked, ask }
}
