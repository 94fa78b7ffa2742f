import type { CreateRequest } from '../../../electron/contract'

/** A request with 200 secrets, and containers with environment variables each. */
export function largeRequest(containers = 20, variables = 10): CreateRequest {
  const numbered = <Item>(count: number, make: (index: number) => Item): Item[] =>
    Array.from({ length: count }, (_, index) => make(index + 1))
  return {
    name: 'large-form',
    source: 'internal_docker',
    source_config: {
      resource_spec: {
        cpu: 1,
        cpu_limit: 2,
        volumes: numbered(5, (index) => ({ name: `volume-${index}`, emptyDir: {} })),
        sidecars: numbered(containers, (container) => ({
          name: `sidecar-${container}`,
          image: `registry.example.com/sidecar:${container}`,
          args: ['--verbose'],
          env: numbered(variables, (index) => ({ name: `VARIABLE_${index}`, value: `value ${index}` })),
          volumeMounts: numbered(5, (index) => ({ name: `volume-${index}`, mountPath: `/mnt/${index}` })),
        })),
      },
    },
    source_revision_config: { image_uri: 'internal/agent:1.0' },
    secrets: numbered(200, (index) => ({ name: `SECRET_${index}`, value: `secret ${index}` })),
  }
}
