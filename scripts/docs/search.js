/* The search of the documentation site: runs in the browser, over an index that the build wrote. */
const root = document.body.dataset.root
const field = document.getElementById('search')
const hits = document.getElementById('hits')
let loading

const fetchIndex = async () => {
  const response = await fetch(`${root}/search.json`)
  const index = new globalThis.MiniSearch({
    fields: ['section', 'page', 'words'],
    storeFields: ['page', 'section'],
    searchOptions: { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { section: 4, page: 2 } },
  })
  index.addAll(await response.json())
  return index
}

/** The index is fetched when somebody begins to search, and again after a failure. */
const load = async () => {
  try {
    return await (loading ??= fetchIndex())
  } catch (error) {
    loading = undefined
    throw error
  }
}

const linkTo = ({ id, page, section }) => {
  const link = document.createElement('a')
  link.href = `${root}/${id}`
  link.textContent = section === page ? page : `${page}: ${section}`
  return link
}

const show = async () => {
  try {
    const index = await load()
    const found = field.value.trim() === '' ? [] : index.search(field.value).slice(0, 12)
    const nothing = field.value.trim() !== '' && found.length === 0
    hits.replaceChildren(...(nothing ? ['Nothing is found.'] : found.map(linkTo)))
  } catch (error) {
    hits.replaceChildren(`The search does not work now: ${error.message}`)
  }
}

field.addEventListener('focus', () => void show())
field.addEventListener('input', () => void show())
