import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, posix } from 'node:path'
import { Marked } from 'marked'

/** Pages beside those below docs/, by their place in the repository. */
const others = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'deploy/README.md',
  'deploy/cluster/README.md',
  'examples/README.md',
  'examples/consumer/README.md',
  'clients/typescript/README.md',
]

/** Pages that the bar at the side names, in this order. */
const bar = [
  'docs/README.md',
  'README.md',
  'docs/why.md',
  'docs/console.md',
  'docs/search.md',
  'docs/loading.md',
  'docs/lineage.md',
  'docs/contracts.md',
  'docs/proposals.md',
  'docs/inbox.md',
  'docs/tour.md',
  'docs/clients.md',
  'docs/agents.md',
  'docs/consuming.md',
  'docs/auditing.md',
  'docs/operating.md',
  'deploy/README.md',
  'docs/proxies.md',
  'docs/distributed.md',
  'docs/performance.md',
  'docs/capacity.md',
  'docs/limits.md',
  'docs/reference/settings.md',
  'docs/reference/commands.md',
  'docs/reference/metrics.md',
  'docs/reference/access.md',
  'docs/adr/README.md',
  'docs/glossary.md',
  'CHANGELOG.md',
]

const markdownIn = (root, folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? markdownIn(root, posix.join(folder, entry.name))
      : entry.name.endsWith('.md')
        ? [posix.join(folder, entry.name)]
        : [],
  )

/** Where a page of the repository stands on the site. */
const placeOf = (source) => {
  const path = source.startsWith('docs/') ? source.slice('docs/'.length) : `project/${source}`
  return path === 'README.md' ? 'index.html' : path.replace(/\.md$/, '.html')
}

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** As GitHub names headings, so that links work in both places. */
const slugOf = (text) =>
  text
    .toLowerCase()
    .replace(/<[^>]*>|&[^;]*;|[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

/** One page: its HTML, its title, and its sections for the search. */
const render = (source, text, known) => {
  const sections = []
  const here = placeOf(source)
  const targetOf = (href) => {
    if (/^[a-z]+:|^#/.test(href)) return href
    const [path, anchor] = href.split('#')
    const found = posix.normalize(posix.join(posix.dirname(source), path))
    const page = [found, posix.join(found, 'README.md')].find((each) => known.has(each))
    if (page === undefined) return undefined
    return posix.relative(posix.dirname(here), placeOf(page)) + (anchor === undefined ? '' : `#${anchor}`)
  }
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens)
        const id = slugOf(inner)
        sections.push({ id, title: inner.replaceAll(/<[^>]*>/g, ''), words: [] })
        return `<h${depth} id="${id}">${inner}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens)
        const target = targetOf(href)
        return target === undefined ? inner : `<a href="${escaped(target)}">${inner}</a>`
      },
      image({ href, text: words }) {
        return `<img src="${posix.relative(posix.dirname(here), posix.join('pictures', posix.basename(href)))}" alt="${escaped(words)}">`
      },
      html: ({ text: raw }) => (raw.startsWith('<!--') ? '' : escaped(raw)),
    },
  })
  const tokens = marked.lexer(text)
  const html = marked.parser(tokens)
  let section = -1
  for (const token of tokens) {
    if (token.type === 'heading') section++
    else if (section >= 0) sections[section].words.push(token.raw)
  }
  return { here, html, title: sections[0]?.title ?? source, sections }
}

const shell = ({ here, html, title }, links) => {
  const up = posix.relative(posix.dirname(here), '.') || '.'
  const nav = links
    .map(
      ({ place, title: name }) =>
        `<a href="${posix.relative(posix.dirname(here), place)}"${place === here ? ' aria-current="page"' : ''}>${name}</a>`,
    )
    .join('\n')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Metadata catalog</title>
<link rel="stylesheet" href="${up}/site.css">
<script src="${up}/minisearch.js" defer></script>
<script src="${up}/search.js" defer></script>
</head>
<body data-root="${up}">
<aside>
<search><input type="search" id="search" placeholder="Search" aria-label="Search the documentation"></search>
<div id="hits" role="status"></div>
<nav aria-label="Pages">
${nav}
</nav>
</aside>
<main>
${html}
</main>
</body>
</html>
`
}

/** Writes the documentation as a static site. @param root of the repository @param target folder, made anew */
export const buildSite = (root, target) => {
  const sources = [...markdownIn(root, 'docs'), ...others.filter((path) => existsSync(join(root, path)))]
  const known = new Set(sources)
  const pages = sources.map((source) => ({
    source,
    ...render(source, readFileSync(join(root, source), 'utf8'), known),
  }))
  const links = bar
    .flatMap((source) => pages.filter((page) => page.source === source))
    .map(({ here, title }) => ({ place: here, title }))
  rmSync(target, { recursive: true, force: true })
  for (const page of pages) {
    mkdirSync(dirname(join(target, page.here)), { recursive: true })
    writeFileSync(join(target, page.here), shell(page, links))
  }
  const documents = pages.flatMap(({ here, title, sections }) =>
    sections.map(({ id, title: section, words }) => ({
      id: `${here}#${id}`,
      page: title,
      section,
      words: words.join(' '),
    })),
  )
  writeFileSync(join(target, 'search.json'), JSON.stringify(documents))
  cpSync(join(root, 'docs/pictures'), join(target, 'pictures'), { recursive: true })
  for (const file of ['site.css', 'search.js']) cpSync(join(root, 'scripts/docs', file), join(target, file))
  const library = dirname(createRequire(import.meta.url).resolve('minisearch'))
  cpSync(join(library, '../umd/index.js'), join(target, 'minisearch.js'))
}
