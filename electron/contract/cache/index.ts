export * from './protocol'
export * from './query'
