package bundle

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteKubelet writes the configuration of a kubelet that lets every pod of a node use the images,
// which were loaded there without credentials, and no others without those of the pod:
// preloadedImagesVerificationAllowlist of KEP-2535. Each entry is a complete name without tag and
// digest, the only form that the kubelet takes besides a prefix. See
// https://github.com/kubernetes/enhancements/tree/master/keps/sig-auth/2535-ensure-secret-pulled-images.
func (c *Contents) WriteKubelet(w io.Writer) error {
	var names []string
	for _, i := range c.Images {
		if !i.Chart {
			names = append(names, fmt.Sprintf("- %q\n", repository(i.Name)))
		}
	}
	slices.Sort(names)
	_, err := fmt.Fprintf(w, `# The images of %s %s that are on the node before the kubelet starts.
# Kubernetes 1.36 and newer; 1.35 compares an entry with the whole name in the pod, tag and digest included.
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
imagePullCredentialsVerificationPolicy: NeverVerifyAllowlistedImages
preloadedImagesVerificationAllowlist:
%s`, c.Product, c.Version, strings.Join(slices.Compact(names), ""))
	return err
}
