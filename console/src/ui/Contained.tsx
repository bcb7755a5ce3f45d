import { CatchBoundary } from '@tanstack/react-router'
import { Children, type ReactNode } from 'react'
import { Broken } from './States.tsx'

/**
 * Shows each child by itself: what fails in one leaves the others as they are.
 * @param of what is shown; with another one all are tried again
 */
export const Contained = ({ of, children }: { of: unknown; children: ReactNode }): ReactNode =>
  Children.map(children, (child) => (
    <CatchBoundary getResetKey={() => of} errorComponent={Broken}>
      {child}
    </CatchBoundary>
  ))
