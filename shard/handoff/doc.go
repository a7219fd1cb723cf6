// Package handoff passes a divided release from machine to machine through the registry that the
// release goes to, for machines that share nothing else: the pods of a cluster, the machines of a
// pipeline.
//
// A repository next to those of the images has three kinds of artifacts. [PushPlan] puts the plan
// with an archive of everything that slipway.yaml names, by digest. A shard begins with it
// ([Fetch], [Plan.Unpack]) and ends with [PushPart]: its part, and the artifacts for download.
// Merge finds the parts with [Plan.Parts], and [PushFiles] puts the files of the complete release
// there, from where [FetchFiles] brings them to any machine.
//
// Artifacts have a manifest with a layer for each file, named by the annotation
// org.opencontainers.image.title, as oras and others have it. Each has a tag of its own, made from
// the digest of the plan: no list has to be kept that two machines could write at a time, no
// referrers API is needed, and no registry removes what has no tag.
package handoff
