import { useState } from 'react'

interface Asked<Question, Answer> {
  readonly question: Question
  readonly answer: (answer: Answer) => void
}

/** What a dialog asks, one question after the other, and whoever waits for the answers. */
export const useQuestion = <Question, Answer>() => {
  const [waiting, setWaiting] = useState<readonly Asked<Question, Answer>[]>([])
  const ask = (question: Question): Promise<Answer> =>
    new Promise((resolve) => {
      const answer = (given: Answer): void => {
        setWaiting((now) => now.slice(1))
        resolve(given)
      }
      setWaiting((now) => [...now, { question, answer }])
    })
  return { asked: waiting[0], ask }
}
