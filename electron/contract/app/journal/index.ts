export * from './creation'
export * from './creation-rules'
export * from './entries'
export * from './lookup'
