/** A file that electron-vite puts beside the program: its path at run time. */
declare module '*?asset' {
  const path: string
  export default path
}
