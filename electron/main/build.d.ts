/** A file that electron-vite puts beside the program: its path at run time. */
declare module '*?asset' {
  const path: string
  export default path
}

/** The major version of the Electron that package.json names; the build puts the number in its place. */
declare const ELECTRON_MAJOR: number

/**
 * Where this build asks for the newest version, and the publisher's key; null if it doesn't. The build puts the values of
 * SLIPWAY_UPDATE_ADDRESS and SLIPWAY_UPDATE_KEY in its place.
 */
declare const UPDATES: { address: string; key: string } | null

/**
 * The port of the development server on 127.0.0.1, which serves the page under `npm run dev`. The build puts null in
 * its place, and what depends on a port is not in what it writes.
 */
declare const DEV_SERVER_PORT: number | null
