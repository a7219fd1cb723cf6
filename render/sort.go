package render

import (
	"cmp"
	"slices"
)

// order lists kinds as "kubectl apply -f" should meet them on a cluster that has none: what
// others need, first. Kinds of the same rank and those that are not listed, which are custom
// resources for the most part, go by kind.
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
	{"PodTemplate", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job", "CronJob", "Pod"},
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
