/** That of the old operator, which has periodic backups ended before their object goes. */
export const FINALIZER = "backup-operator-periodic";
