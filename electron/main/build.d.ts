/** A file that electron-vite puts beside the program: its path at run time. */
declare module '*?asset' {
  const path: string
  export default path
}

/** The major version of the Electron that package.json names; the build puts the number in its place. */
declare const ELECTRON_MAJOR: number
