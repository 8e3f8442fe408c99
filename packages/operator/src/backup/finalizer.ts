/** As in coreos/etcd-operator: periodic backups are stopped before their object is deleted. */
export const FINALIZER = "backup-operator-periodic";
