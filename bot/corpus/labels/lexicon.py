"""The words that the naming rules lean on: ordinary English and the field's common stock, never a paper's own name."""

import re
from functools import lru_cache

# Word lists written as running text.


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


INTRODUCES = word_set(
    """
    propose proposes introduce introduces present presents develop develops release releases design designs
    build builds create creates construct constructs devise devises describe describes contribute contributes
    offer offers establish establishes formulate formulates implement implements instantiate instantiates
    provide provides open-source open-sources opensource publish unveil unveils announce curate curates derive
    derives define defines advocate put formalize formalizes formalise formalises train trains collect collects
    assemble assembles compile compiles identify identifies deploy deploys proposed introduced presented
    developed built designed created
    """
)
"""Verbs whose object, with a first-person subject, is what the paper brings."""

STRONG_INTRODUCES = word_set(
    """
    propose proposes introduce introduces present presents develop develops release releases unveil unveils
    open-source open-sources opensource proposed introduced presented developed announce publish
    """
)
"""Those that nearly always name the contribution itself rather than a part of it."""

GERUNDS = word_set(
    """
    proposing introducing presenting developing releasing designing building creating constructing
    """
)

SUBJECTS = word_set("we paper work study article report authors i")

NAMED = word_set(
    """
    called named termed dubbed coined denoted titled entitled nicknamed call name term dub coin denote
    abbreviated namely christened
    """
)
"""Words that a given name follows."""

PHENOMENA = word_set(
    """
    phenomenon phenomena problem issue bottleneck pathology failure failures effect challenge limitation trap
    curse illusion collapse drift gap mode bias vulnerability risk threat paradox dilemma mismatch degradation
    syndrome tendency artifact artifacts hypothesis assumption assumptions observation tax
    """
)
"""What a paper studies or criticises: a name given to one of these is not the paper's."""

HEADS = word_set(
    """
    domain harness baseline outcome extension rule framework frameworks method methods approach approaches
    algorithm algorithms model models system systems benchmark benchmarks dataset datasets suite toolkit library
    pipeline architecture architectures paradigm strategy technique techniques mechanism module network networks
    scheme procedure loss objective optimizer estimator metric metrics environment environments testbed platform
    agent agents family corpus protocol solver engine tool kernel policy sampler recipe attack defense defence
    planner regularizer regularization index score variant law layer layers operator formulation theory learner
    criterion simulator package generator encoder decoder tokenizer classifier detector solution workflow
    methodology codebase collection leaderboard taxonomy principle function class training attention
    """
)
"""What a paper's contribution is said to be: `the X framework`, `X, a method that …`."""

GENERIC_HEADS = word_set(
    """
    framework frameworks method methods approach approaches algorithm algorithms technique techniques strategy
    strategies scheme schemes procedure procedures methodology methodologies paradigm paradigms solution
    solutions process processes pipeline pipelines system systems mechanism mechanisms perspective perspectives
    way ways set series suite family class kind type variety collection recipe recipes formulation principle
    principles design tool tools idea study analysis investigation evaluation look view lens examination account
    treatment proposal extension variant version group range number combination
    """
)
"""Heads that say nothing by themselves: dropped from the end of a phrase where enough is left."""

PRAISE = word_set(
    """
    reliable expressive tractable same interpretable realistic meaningful accurate faithful precise useful
    coherent trustworthy competitive optimal adaptable actionable novel new simple simpler effective efficient
    general generic principled unified unifying lightweight powerful robust flexible scalable practical
    comprehensive systematic first fully highly more most better yet and but also truly fast faster rigorous
    elegant straightforward surprisingly surprising promising generalized innovative large-scale plug-and-play
    end-to-end theoretically-grounded theoretically grounded well-founded state-of-the-art open-source open
    publicly available easy-to-use cost-effective cost-efficient compute-efficient broad extensive in-depth
    careful detailed complementary alternative standard basic computationally conceptually both very purely
    completely newly model-agnostic general-purpose versatile minimal mathematically statistically provably
    different several two three four five six seven many multiple various natural rich formal concrete
    full-stack original fundamental key core main single dedicated large diverse tailored specialized modular
    modern holistic challenging high-quality significant theory-grounded theory-driven fine-grained
    """
)
"""Adjectives in front of a contribution that do not tell one paper from another."""

FUNCTION = word_set(
    """
    a an the this that these those our their its his her we i it they you he she one ones in on at of for with
    by from to into onto over under via through across between among within without upon per than as like such
    and or nor but so yet if then when while where which who whom whose what how why whether because since
    although though however moreover furthermore additionally besides also thus therefore hence consequently
    finally first second third next here there now still instead rather both either neither each every all any
    some most many much few more less other others another no not only just even is are was were be been being
    am do does did done has have had having can could may might must shall should will would using based given
    despite unlike whereas recent existing current previous prior specifically notably importantly crucially
    empirically theoretically experiments experimental extensive code results overall together further whilst
    during after before until against about toward towards beyond motivated inspired building leveraging guided
    combined coupled compared following according evaluations evaluation central key indeed meanwhile conversely
    similarly likewise in-depth comprehensive alongside along yes please starting going once unless except
    including intuitively practically concretely formally briefly surprisingly remarkably interestingly
    ultimately traditional conventional standard modern recently typically often usually generally nevertheless
    nonetheless ours us me my your let several various numerous
    """
)
"""Words that never start or end a name: function words and the usual openers of a sentence."""

CLOSED = word_set(
    """
    a an the this that these those our their its his her we it they he she in on at of for with by from to and
    or but if as is are was were be been not no each any all both such there here when while where which who i
    """
)
"""The closed class: never part of a name by itself, however it is cased."""

CONNECTORS = word_set("of for as with to and in the via on from by a an is at de")
"""Lower-case words that may stand inside a capitalised name (`Compute as Teacher`)."""

ADJECTIVAL = word_set(
    """
    based free driven aware style like level wise specific agnostic inspired guided efficient oriented centric
    trained tuned generated induced augmented enhanced powered enabled conditioned constrained regularized
    optimal only type related generating assisted informed optimized time to invariant equivariant intensive
    heavy light dependent independent consistent compatible norm bounded shot scale size class bit grade ready
    native parallel side wide hard complete sparse dense hop turn step stage stream head layer token supervised
    unsupervised annotated labeled labelled written curated derived sourced sized fold aligned controlled led
    rich poor friendly facing focused grounded matched safe resistant robust convex smooth linear integrated
    simulated tailed dimensional order
    """
)
"""Last parts of a compound that make it an adjective: `LLM-based`, `GPU-efficient`."""

SUBJECT_VERBS = word_set(
    """
    already better worse produce produces producing affect affects exhibit exhibits share shares outputs
    generate generates reformulate reformulates turn turns relate relates emerge enforce hinge hinges steer
    drive drives shape shapes govern governs mediate mediates preserve explain differ differs behave behaves
    achieves outperforms improves enables uses leverages reduces learns provides introduces combines employs
    consists requires generalizes surpasses yields attains delivers significantly consistently matches
    integrates features applies performs maintains preserves exceeds demonstrates offers supports adapts
    exploits formulates decomposes replaces operates trains establishes sets substantially incorporates
    decouples constructs optimizes treats evaluates covers contains comprises includes utilizes shows not
    effectively achieved outperformed can is was does also allows encodes scales accelerates explicitly
    dynamically adaptively first unifies extends lowers boosts gains maps projects selects estimates identifies
    aggregates aligns augments builds casts captures computes converts detects directly eliminates facilitates
    guides handles has imposes increases infers injects jointly keeps transforms addresses adopts alternates
    bridges brings closes controls converges cuts defines derives discovers distills encourages enforces
    enhances ensures explores extracts focuses frames further gives helps iteratively lets leads makes minimizes
    mitigates overcomes partitions prevents prioritizes promotes provably raises ranks reaches recovers refines
    relies represents resolves restores reveals routes runs samples separates serves simulates solves splits
    stabilizes starts steers takes targets updates works repurposes reframes fuses synthesizes automatically
    tracks predicts remains retains
    """
)
"""What a system does: its name as a subject of one of these counts for it."""

PREPOSITIONS = word_set("for of with in on based via from to over under into")

REPORTED = word_set(
    """
    on than like including as outperforming outperform outperforms surpassing surpass surpasses e.g over using
    beats exceeding exceeds matching against
    """
)
"""Words after which data sets, models and rivals are named."""

MEASURES = word_set(
    """
    fraction score rate ratio index metric distance divergence error gap coefficient loss number measure
    accuracy probability entropy
    """
)
"""Heads of a plain-language quantity: better spelled than abbreviated in a handle."""

STUDIES = word_set(
    """
    study investigate analyze analyse examine explore characterize characterise revisit consider address tackle
    evaluate formalize formalise identify question rethink audit measure quantify understand extend focus
    initiate prove
    """
)
"""Verbs whose object, with a first-person subject, is what the paper is about."""

VERBS = word_set(
    """
    already better worse produce produces producing affect affects exhibit exhibits share shares outputs
    generate generates reformulate reformulates turn turns relate relates emerge enforce hinge hinges steer
    drive drives shape shapes govern governs mediate mediates preserve explain differ differs behave behaves
    show shows showing showed demonstrate demonstrating find finds finding argue argues observe observes reveal
    revealing suggest suggests indicate indicates remain remains become becomes rely relies relying depend
    depends suffer suffers face faces leverage leveraging use used uses using apply applying applied achieve
    achieving improve improves improving improved enable enabling reduce reducing learn learns learned obtain
    obtained obtaining estimate estimates predict predicts compute computing compare comparing compared capture
    capturing exploit exploiting combine combining bridge bridging fail fails failing lead leads leading result
    yield yielding require requiring allow allows allowing make making incorporate incorporating preserving
    maintain maintaining mitigate mitigates mitigating overcome select selecting optimize optimizing minimize
    maximize know knows known call called focus focuses aim aims seek seeks ask asks answer help helps given
    take taken provide providing support supporting outperform outperforming surpass hold holds emerges arise
    arises scale scaled perform performed conduct conducted ensure ensuring account accounts explains explaining
    establish establishing determine determines adapt adapts adapting utilize utilizing employ employing
    encourage encourages force forces prevent prevents avoid avoids avoiding serve serves treat treats view
    views viewed cast formulate recast impose encode encodes encoding transfer transfers lack lacks say says see
    """
)
"""Everyday verbs of abstracts that are seldom part of a noun phrase."""

COMMON = word_set(
    """
    language model llm network neural learning data training deep machine system theoretical analysis framework
    method approach algorithm result case study problem setting task performance experiment agent large
    foundation vision inference generation reasoning prediction optimization representation feature function
    parameter token layer input output sample sampling space point step process policy reward loss error bound
    theory theorem property structure condition state action environment user domain application challenge
    quality information knowledge image text video graph dataset benchmark evaluation test real-world world
    empirical existing technique strategy mechanism generative artificial intelligence statistical mathematical
    computational numerical pretrained pre-trained downstream distribution behavior perspective insight evidence
    internal external key future prior work paper research community time cost reinforcement supervised standard
    modern high low recent growing wide range variety number class set linear nonlinear quantum genetic
    convergence guarantee first principle multi-agent vision-language safety scientific
    """
)
"""Words that every second abstract has: a phrase of these alone names nothing."""

NOUNS_IN_ING = word_set(
    """
    modeling modelling testing fine-tuning finetuning filtering monitoring watermarking scheduling shaping
    smoothing blending averaging thinking understanding straightening persuading imaging sequencing folding
    docking pricing serving finding pruning sampling routing steering scaling clustering embedding tuning
    reasoning ranking editing planning prompting speculative matching masking caching batching grokking
    unlearning pretraining bootstrapping hashing coding decoding encoding conditioning mixing forecasting
    tracking grounding segmenting rendering parsing programming
    """
)
"""Words in -ing that name a thing in this field."""

BROAD = frozenset(
    (
        "diffusion model", "language model", "knowledge distillation", "catastrophic forgetting",
        "bayesian optimization", "generative model", "vision transformer", "neural operator",
        "graph neural network", "world model", "reward model", "in-context learning", "continual learning",
        "federated learning", "flow matching", "optimal transport", "scaling law", "synthetic data",
        "human preference", "uncertainty quantification", "distribution shift", "question answering",
        "policy optimization", "policy gradient", "gradient descent", "chain-of-thought reasoning",
        "kv cache", "latent space", "attention mechanism", "attention head", "time series", "reasoning trace",
        "social welfare", "model organism", "supervised fine-tuning", "post-training", "sample complexity",
        "lower bound", "upper bound", "learning rate", "representation learning", "llm agent", "ai agent",
        "ai system", "autonomous agent", "contrastive learning", "mechanistic interpretability",
        "foundation model", "vision-language model", "speculative decoding", "value function",
        "object detection", "image generation", "video generation", "domain adaptation", "transfer learning",
        "offline rl", "theorem proving", "code generation", "mathematical reasoning", "multimodal llm",
        "sparse autoencoder",
    )
)  # fmt: skip
"""Phrases, folded, that whole sessions of a conference share."""


# Names that belong to the whole field (its models, data sets, methods and abbreviations), so to no one paper.

_TERMS = word_set(
    """
    npe rmt gat gcn gin graphsage rdp mcts cem a2c a3c ddqn dreamer dreamerv3 muzero bpe tf-idf tsne t-sne umap
    gmm hmm svi smc rkhs erm dro ipw aipw tmle cate ate icp pagerank lasso ridge ai agi ml dl nn nns dnn
    dnns cnn cnns rnn rnns gnn gnns mlp mlps gan gans vae vaes lstm gru svm svms knn pca svd gp gps kl mmd ood
    id iid i.i.d nlp cv qa vqa ocr asr tts gui guis ui api apis cpu cpus gpu gpus tpu tpus npu npus fpga cuda
    hbm sram ram dram ssd io hpc flops flop fp4 fp8 fp16 bf16 int4 int8 nvfp4 mxfp4 kv kvs kv-cache llm llms lm
    lms slm slms mllm mllms vlm vlms lvlm lvlms lmm lmms vla vlas lrm lrms plm plms dllm dllms mdm mdms dlm dlms
    wm rl irl marl hrl rlhf rlaif rlvr dpo ppo grpo gspo dapo kto orpo simpo sac td3 ddpg dqn trpo reinforce sft
    ft pt cpt icl cot cots tot rag lora qlora peft moe moes smoe mha gqa mla ssm ssms rope ffn ffns vit vits dit
    dits dino dinov2 dinov3 clip siglip blip sam sam2 unet u-net resnet resnets resnet-50 bert roberta t5 gpt
    gpts chatgpt llama vicuna mistral mixtral qwen deepseek gemini claude gemma olmo pythia phi opt bloom falcon
    grok kimi glm internvl llava alphafold alphaevolve alphazero alphago stable-diffusion flux transformer
    transformers mamba adam adamw sgd muon lion adagrad rmsprop shampoo soap admm em mcmc hmc sgld langevin
    gaussian bayesian bayes markov euclidean riemannian lipschitz hilbert fourier wasserstein sobolev monte
    carlo nash pareto bellman fisher hessian jacobian lagrangian lyapunov gibbs boltzmann kolmogorov newton
    taylor rademacher shapley kalman poisson bernoulli dirichlet gittins sinkhorn thompson ucb mdp mdps pomdp
    pomdps cmdp mab bo bai nas automl fl dp dp-sgd gdp he mpc tee ot pde pdes ode odes sde sdes pinn pinns fno
    dft md mri fmri ct eeg ecg ehr ehrs rna dna mrna scrna-seq smiles ddpm ddim cfg edm vp ve np np-hard tsp sat
    smt csp milp ilp lp qp sdp ntk nngp pac vc mle map elbo snr psnr ssim fid is bleu rouge auroc auc roc f1
    ndcg mse rmse mae nll ppl cvar var 2d 3d 4d 6d 3dgs nerf nerfs slam lidar bev imu rgb rgb-d hdr json xml
    html sql pdf csv latex python java javascript rust c c++ verilog rtl lean lean4 lean-4 isabelle coq github
    huggingface hf pytorch jax tensorflow vllm sglang megatron deepspeed flashattention imagenet imagenet-1k
    imagenet-c cifar cifar-10 cifar-100 mnist coco ms-coco celeba laion ade20k pascal voc kitti nuscenes scannet
    cityscapes openwebtext fineweb fineweb-edu c4 pile wikitext wikitext2 wikitext-2 wikitext-103 glue superglue
    squad hotpotqa triviaqa musique gsm8k math math500 math-500 aime aime24 aime25 aime2024 amc olympiadbench
    minerva gpqa gpqa-diamond mmlu mmlu-pro bbh hle arc arc-c arc-e arc-agi hellaswag piqa boolq winogrande
    truthfulqa humaneval mbpp livecodebench bigcodebench swe-bench alfworld webshop webarena osworld mind2web
    longbench ruler niah alpacaeval mt-bench arena-hard ifeval bfcl tau-bench τ-bench toolbench bird spider
    libero calvin simpler simplerenv mujoco d4rl atari procgen minecraft dm-control metaworld meta-world
    robomimic openvla pi0 π0 qm9 md17 oc20 zinc geom-drugs pdb casp uci uk us eu ngram n-gram ar ntp mtp tta ttt
    ttc cl ssl uda da dg fsl zsl il bc gail gflownet gflownets pid cbf lqr iot uav qos sota s-o-t-a pass pass@1
    pass@k top-k top-p best-of-n frank-wolfe seq2seq text2sql img2img sim2real mnl hb lqg k-means kmeans
    q-learning vq isr xgboost lightgbm catboost dmd mappo qmix gcg lira ctc hjb tsfm mlip plddt gd nuts hnsw pfn
    tabpfn diloco kan rwkv deltanet gla bm25 colbert dpr faiss ann anns medgemma resnet18 densenet121 mmd2 relu
    gelu swiglu silu softmax sigmoid tanh openclaw allen-cahn navier-stokes black-scholes hamilton-jacobi
    runge-kutta fokker-planck levenberg-marquardt kolmogorov-arnold wasserstein-2 ornstein-uhlenbeck schrodinger
    schrödinger burgers darcy bon prm prms orm orms rm rms llm-as-a-judge user users agent agents mas mcp a2a
    swe hci xai sae saes clt iclr icml neurips acl cvpr nlp4 openai google meta nvidia amd anthropic microsoft
    deepmind apple huawei amazon alibaba a100 h100 h200 b200 rtx a100s h100s english chinese french german
    spanish arabic african american european western japanese korean hindi covid covid-19 wikipedia reddit
    twitter youtube arxiv pubmed stackexchange
    """
)

_CAMEL = re.compile(r"[A-Z]*[a-z]+[A-Z]|[A-Z]{2,}[a-z]{2,}")
_ORDINARY = word_set(
    """
    bird spider simpler libero soap lion muon adam arc flux bloom opt phi falcon reinforce sam clip dino pile
    claude lean rust is pass ruler gemini mistral minerva smiles coco flop reddit bon orm ot he bo bai pid casp
    arena pt
    """
)
"""Those that are English words too: `SpIDER` is not the data set `Spider`."""

_FAMILY = re.compile(
    r"(?:gpt|llama|qwen|qwq|deepseek|gemini|claude|gemma|mistral|mixtral|phi|olmo|pythia|opt|vicuna|internvl|internlm|llava|glm|kimi|grok|"
    r"resnet|vit|dit|sd|sdxl|flux|wan|bert|roberta|t5|o[134]|cifar|imagenet|aime|math|mimic|wikitext|fineweb|dino|clip|sam|smollm|"
    r"minicpm|yi|codellama|starcoder|minimax|step|ernie|seed|doubao|nemotron|granite|falcon|bloom|hunyuan|cogvideox|ltx|nova)"
    r"[\s-]?[v]?[\d.]+\w*(?:-.*)?$"
)


@lru_cache(maxsize=65536)
def is_known(name: str) -> bool:
    """Whether a name belongs to the field: `LLMs`, `Qwen3-8B`, `GSM8K`, `LoRA`."""
    key = name.casefold()
    if len(key) > 60:
        return False
    if key in _ORDINARY and _CAMEL.match(name):
        return False
    return key in _TERMS or (name.endswith("s") and key[:-1] in _TERMS) or _FAMILY.match(key) is not None
