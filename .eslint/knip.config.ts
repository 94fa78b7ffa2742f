import type { KnipConfig } from 'knip'

/** The roots of the lint check: knip counts what these programs, the builds and the tests reach as used. */
export default {
  entry: [
    // Started by path or folder, so nothing imports them.
    'electron/launcher/trial-engine-app/main.cjs',
    'test/bench/window/{bare-window,probe}/*.cjs',
    'test/harness/main.ts',
    'test/power/take-back.ts',
  ],
  vite: { config: ['electron/launcher/service.vite.config.ts', 'test/bench/vite.config.ts'] },
  vitest: { config: ['test/vitest.config.ts'] },
  // No `config`: knip would run it, and Playwright's downloads Electron.
  playwright: { config: [], entry: ['test/{e2e,trust}/**/{playwright.config,*.spec}.ts'] },
  // The defaults, and circles of files.
  include: [
    'files',
    'dependencies',
    'unlisted',
    'unresolved',
    'binaries',
    'exports',
    'types',
    'duplicates',
    'cycles',
  ],
  cycles: { dynamicImports: true },
  // The store process loads keytar by require, with its first call. typed-rules.ts starts oxlint by its path.
  ignoreDependencies: ['keytar', 'oxlint', 'oxlint-tsgolint'],
  // Programs of the system. The launcher installs those that a test machine or a package lacks.
  ignoreBinaries: [
    ...['Xvfb', 'dbus-daemon', 'gnome-keyring-daemon', 'prlimit', 'setpriv'],
    ...[
      'apt-ftparchive',
      'createrepo_c',
      'dpkg-deb',
      'du',
      'gpg',
      'hdiutil',
      'reg',
      'rpmbuild',
      'rpmsign',
      'sha256sum',
    ],
  ],
  // An exception that is no longer needed fails the check.
  treatConfigHintsAsErrors: true,
} satisfies KnipConfig
