export * from './answers'
export * from './query'
export * from './choices'
export * from './watches'
