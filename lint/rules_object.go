package lint

// objectRules are about objects of Kubernetes' own kinds.
var objectRules = []Rule{
	{
		ID: "object-field", Severity: Error,
		Title: "the object's type does not have the field, or does not take its value",
		Reason: "`kubectl apply` refuses an object with unknown fields, " +
			"and every API server a value of the wrong type. Without field validation the API server drops the field.",
		Instead: "a field and a value of the API reference",
		Link:    "https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation",
	},
	{
		ID: "object-version", Severity: Error,
		Title:   "current clusters do not serve this apiVersion or kind",
		Reason:  "The API server does not know the object and refuses it. Its pods are not checked.",
		Instead: "the version that has replaced it, or the kind's right name",
		Link:    "https://kubernetes.io/docs/reference/using-api/deprecation-guide/",
	},
	{
		ID: "object-duplicate", Severity: Error,
		Title:   "the file has the same object twice",
		Reason:  "The object that is applied last replaces the other one.",
		Instead: "one of the two",
		Link:    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names/",
	},
	{
		ID: "config-map-missing", Severity: Error, ReleaseOnly: true,
		Title: "a variable comes from a key, namespace or ConfigMap that cannot be there",
		Reason: "The release has the ConfigMap without the key, or in another namespace; " +
			"or the variable is an image, whose ConfigMap must be in the release, even where it is optional, " +
			"so that the image can be pinned. Without `optional` the container does not start, " +
			"and many programs read a missing variable as an empty one.",
		Instead: "a ConfigMap with the key in a template, or a value for the variable",
		Link:    "https://kubernetes.io/docs/tasks/configure-pod-container/configure-pod-configmap/#configmaps-and-environment-variables",
	},
	{
		ID: "config-map-external", Severity: Warning, ReleaseOnly: true,
		Title: "a variable comes from a ConfigMap that the release does not have",
		Reason: "The container does not start before something else makes the ConfigMap: " +
			"an operator when it runs, or whoever installs the release. No manifest tells whether that happens.",
		Instead: "the ConfigMap in a template, `optional: " +
			"true` if the program can do without, or `lint.allow` with what makes it",
		Link: "https://kubernetes.io/docs/tasks/configure-pod-container/configure-pod-configmap/#configmaps-and-environment-variables",
	},
}
