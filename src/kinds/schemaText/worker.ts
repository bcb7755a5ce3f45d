import { serve } from '../../shared/threads/serveOperations.ts'
import { operations } from './operations.ts'

serve(operations)
