import type { KnipConfig } from 'knip'

/** What the lint check takes for used: all that these programs, the builds and the tests reach. */
export default {
  entry: [
    // Started by their path or folder, so that nothing imports them.
    'electron/launcher/engine/trial-engine-app/main.cjs',
    'test/bench/{bare-window,probe}/*.cjs',
    'test/harness/main.ts',
  ],
  vite: { config: ['test/bench/vite.config.ts'] },
  vitest: { config: ['test/vitest.config.ts'] },
  // No `config`, which knip would run: Playwright's fetches Electron.
  playwright: { config: [], entry: ['test/{e2e,trust}/**/{playwright.config,*.spec}.ts'] },
  cycles: { dynamicImports: true },
  // The keychain process loads it by require, with its first call.
  ignoreDependencies: ['keytar'],
  // Programs of the system; the launcher gets those that a test machine lacks.
  ignoreBinaries: ['Xvfb', 'dbus-daemon', 'dbus-monitor', 'gnome-keyring-daemon', 'mkfifo', 'prlimit'],
  // An exception that is needed no more fails the check.
  treatConfigHintsAsErrors: true,
} satisfies KnipConfig
