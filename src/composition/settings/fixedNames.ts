export const files = {
  log: 'log.db',
  logIdentity: 'log.id',
  integrity: 'integrity.checkpoint',
  readModels: 'readmodels.db',
  webhooks: 'webhooks.db',
  personalKeys: 'personal.db',
  jwtSecret: 'jwt.secret',
  sealingKey: 'sealing.key',
  sealingKeyId: 'sealing.id',
  auditKey: 'audit.key',
  auditLastSigned: 'audit.signed',
  auditCosigned: 'audit.cosigned',
} as const

/** Files with the keys of a catalog, which nothing can make again, and those that say which keys they were. */
export const keyFiles = [files.jwtSecret, files.sealingKey, files.sealingKeyId, files.auditKey] as const
