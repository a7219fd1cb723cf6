package render

import (
	"cmp"
	"slices"
)

// order lists kinds in the order in which "kubectl apply -f" should create them: those that others
// need first. Kinds of the same rank, and kinds that are not listed, mostly custom resources, are
// sorted by kind.
var order = [][]string{
	{"Namespace"},
	{"CustomResourceDefinition"},
	{"PriorityClass", "RuntimeClass", "StorageClass", "IngressClass"},
	{"ResourceQuota", "LimitRange", "NetworkPolicy"},
	{"ServiceAccount"},
	{"ClusterRole"},
	{"ClusterRoleBinding"},
	{"Role"},
	{"RoleBinding"},
	{"ConfigMap"},
	{"Secret"},
	{"PersistentVolume"},
	{"PersistentVolumeClaim"},
	{"Service"},
	{
		"PodTemplate", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController",
		"Job", "CronJob", "Pod",
	},
	{"HorizontalPodAutoscaler", "PodDisruptionBudget", "Ingress"},
	{"APIService"},
	{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"},
}

var ranks = func() map[string]int {
	r := map[string]int{}
	for i, kinds := range order {
		for _, k := range kinds {
			r[k] = i
		}
	}
	return r
}()

func rank(kind string) int {
	if r, ok := ranks[kind]; ok {
		return r
	}
	return len(order)
}

// sortDocuments orders documents by rank, kind, namespace and name.
func sortDocuments(docs []document) {
	slices.SortStableFunc(docs, func(a, b document) int {
		return cmp.Or(
			cmp.Compare(rank(a.Kind), rank(b.Kind)),
			cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Namespace, b.Namespace),
			cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.APIVersion, b.APIVersion),
		)
	})
}
