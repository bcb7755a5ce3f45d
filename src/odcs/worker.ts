import { serve } from '../shared/threads/serve.ts'
import { operations } from './operations.ts'

serve(operations)
