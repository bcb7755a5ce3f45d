import { serveThread } from '../../shared/threads/serveOperations.ts'
import { schemaOperations } from './readSchemaText.ts'

serveThread(schemaOperations)
