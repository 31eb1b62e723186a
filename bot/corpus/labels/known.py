"""Names that belong to the whole field (its models, data sets, methods and abbreviations), so to no one paper."""

import re
from functools import lru_cache

from bot.corpus.labels.wordlist import word_set

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
