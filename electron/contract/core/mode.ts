import { z } from 'zod'
import { environmentModes } from './mode-labels'

export * from './mode-labels'

export const environmentModeSchema = z.enum(environmentModes)
