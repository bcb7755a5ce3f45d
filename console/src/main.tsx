import './early.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { forgetAhead } from './api/ahead.ts'
import { queryClient } from './api/queries.ts'
import { loadFirst, router } from './router.tsx'
import { redeemCode } from './session/code.ts'
import { Toasts } from './ui/toasts.tsx'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/parts.css'
import './styles/entity.css'
import './styles/time.css'
import './styles/pages.css'
import './styles/contracts.css'
import './styles/lineage.css'
import './styles/coverage.css'

await redeemCode()
// The frame that the page came with stays until there is something to show in its place.
await loadFirst()
// A heading that came meanwhile is painted before the rest is rendered; what nobody sees is not painted.
if (document.visibilityState === 'visible') await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
forgetAhead()

createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
)
