import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))

/** A catalog that runs already, for `npx vite console`. */
const service = process.env['CATALOG_CONSOLE_PROXY'] ?? 'http://127.0.0.1:8585'

const proxied = { target: service, headers: { origin: service } }

export default defineConfig({
  root: here,
  base: './',
  build: {
    outDir: fileURLToPath(new URL('../dist/console', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      // Says that "use client" means nothing here, for each file of the router.
      onwarn: (warning, warn) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
      },
    },
  },
  server: { host: '127.0.0.1', proxy: { '/api': proxied, '/readyz': proxied, '/metrics': proxied } },
})
