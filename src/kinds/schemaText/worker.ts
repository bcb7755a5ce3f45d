import { serve } from '../../shared/threads/serveOperations.ts'
import { operations } from './readSchemaText.ts'

serve(operations)
