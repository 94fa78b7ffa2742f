export * from './protocol'
export * from './query'
export * from './saved-run'
export * from './sync-state'
