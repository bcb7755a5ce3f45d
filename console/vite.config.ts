import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))

/** A catalog that runs already, for `npx vite console`. */
const service = process.env['CATALOG_CONSOLE_PROXY'] ?? 'http://127.0.0.1:8585'

const proxied = { target: service, headers: { origin: service } }

/** The page names the small first file beside the large ones, so that it runs, and asks for data, before those have come. */
const early: Plugin = {
  name: 'early',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle = {} }) => {
      const file = Object.values(bundle).find((each) => each.type === 'chunk' && each.name === 'early')?.fileName
      if (file === undefined) throw new Error('The build has no file "early".')
      return [{ tag: 'script', attrs: { type: 'module', async: true, src: `./${file}` }, injectTo: 'head' }]
    },
  },
}

export default defineConfig({
  root: here,
  base: './',
  plugins: [early],
  build: {
    outDir: fileURLToPath(new URL('../dist/console', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // Few files: each costs a request, and what several pages need is needed by the first one.
        codeSplitting: {
          groups: [
            {
              name: 'early',
              test: /src\/(early|app\/(theme|heading)|api\/(ahead|kinds|reads)|entity\/parts|ui\/(format|icons))\.ts$/,
              priority: 1,
            },
            { name: 'shared', minShareCount: 2 },
          ],
        },
      },
      // Says that "use client" means nothing here, for each file of the router.
      onwarn: (warning, warn) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
      },
    },
  },
  server: { host: '127.0.0.1', proxy: { '/api': proxied, '/readyz': proxied, '/metrics': proxied } },
})
