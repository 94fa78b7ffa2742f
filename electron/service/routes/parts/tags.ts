/** The groups of operations in the OpenAPI document. */
export const tags = {
  interface: {
    name: 'Interface',
    description: "The service's interface: repositories, the list of deployments, their creation.",
  },
  extension: {
    name: 'Extension',
    description: 'What the interface lacks, and public clients of such services call.',
  },
  service: { name: 'Service', description: 'About the service itself.' },
} as const
