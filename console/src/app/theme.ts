export type Theme = 'light' | 'dark' | 'system'

const key = 'catalog-theme'

/** What the reader chose on this machine; else what the system says. */
export const theme = (): Theme => {
  const chosen = localStorage.getItem(key)
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system'
}

export const applyTheme = (chosen: Theme = theme()): void => {
  if (chosen === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = chosen
}

export const chooseTheme = (chosen: Theme): void => {
  if (chosen === 'system') localStorage.removeItem(key)
  else localStorage.setItem(key, chosen)
  applyTheme(chosen)
}
