import type { Plugin } from 'vite'

/** Writes the folders of the npm packages in a build into its `packages.json`: for the SBOM and the licences. */
export const listPackages = (): Plugin => ({
  name: 'list-packages',
  generateBundle(_options, bundle) {
    const packages = new Set<string>()
    for (const chunk of Object.values(bundle)) {
      for (const id of chunk.type === 'chunk' ? chunk.moduleIds : []) {
        const folder = /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/?]+/.exec(id)?.[0]
        if (folder) packages.add(folder)
      }
    }
    const source = JSON.stringify([...packages].sort())
    this.emitFile({ type: 'asset', fileName: 'packages.json', source })
  },
})
